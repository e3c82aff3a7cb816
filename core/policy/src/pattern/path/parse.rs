//! How path globs are read.

use std::path::{Path, PathBuf};

use super::super::glob::{Glob, expand_braces};
use super::super::{PatternBases, PatternError};
use super::{Anchor, PathPart, PathPattern, PatternForm};

impl PathPattern {
    pub(in super::super) fn parse(text: &str, places: &PatternBases) -> Result<Self, PatternError> {
        Self::parse_exactly(text.trim(), places)
    }

    /// As [`Self::parse`], with spaces at the ends as part of the name.
    pub(in super::super) fn parse_exactly(text: &str, places: &PatternBases) -> Result<Self, PatternError> {
        if text.starts_with('!') {
            return Err(PatternError::bad_argument(
                "`!` does not negate here",
                "write an exception as `unless` in a [[rule]]",
            ));
        }
        let wrong = |why: String| PatternError::bad_argument(format!("`{text}` is not a path glob"), why);
        let mut forms = Vec::new();
        for alternative in expand_braces(text).map_err(wrong)? {
            read(&alternative, places, &mut forms)?;
        }
        forms.dedup();
        Ok(Self { forms })
    }
}

fn read(text: &str, places: &PatternBases, forms: &mut Vec<PatternForm>) -> Result<(), PatternError> {
    let home_relative = text.strip_prefix("~/").or_else(|| (text == "~").then_some(""));
    let stem = text.trim_end_matches('/');
    let (anchor, rest) = match home_relative {
        Some(rest) => (Anchor::Absolute, rest),
        None if text.starts_with('/') => (Anchor::Absolute, text),
        None if text == "." => (Anchor::Root(0), ""),
        None => match text.strip_prefix("./") {
            Some(rest) => (Anchor::Root(0), rest),
            None if stem == ".." || (stem.contains('/') && !text.starts_with("**/")) => {
                (Anchor::Root(0), text)
            }
            None => (Anchor::Anywhere, text),
        },
    };
    let (mut parts, up) = parse_parts(rest)
        .map_err(|why| PatternError::bad_argument(format!("`{text}` is not a path glob"), why))?;
    let folder = rest.ends_with('/') && !parts.is_empty();
    let anchor = match anchor {
        Anchor::Root(_) => Anchor::Root(up),
        Anchor::Absolute => Anchor::Absolute,
        // A name at any depth.
        Anchor::Anywhere => {
            if matches!(parts.as_slice(), [PathPart::Glob(glob)] if glob.is_any()) {
                parts.clear();
                parts.extend([PathPart::Deep, any_name()]);
            } else if parts.first() != Some(&PathPart::Deep) {
                parts.insert(0, PathPart::Deep);
            }
            Anchor::Anywhere
        }
    };
    if home_relative.is_some() {
        let home = places.home.as_deref().ok_or_else(|| {
            PatternError::bad_argument("there is no home folder that `~` could mean", "write the whole path")
        })?;
        parts = literal_parts(home).into_iter().chain(parts).collect();
    }
    let followed = if places.as_written { Vec::new() } else { follow_links(anchor, &parts, places) };
    for place in followed {
        let rest = parts.iter().skip_while(|part| matches!(part, PathPart::Name(_))).cloned();
        forms.push(build_form(Anchor::Absolute, folder, true, place.into_iter().chain(rest).collect()));
    }
    forms.insert(0, build_form(anchor, folder, false, parts));
    Ok(())
}

/// Where the literal part of a pattern leads, if that is elsewhere than where it is written.
fn follow_links(anchor: Anchor, parts: &[PathPart], places: &PatternBases) -> Vec<Vec<PathPart>> {
    let bases: Vec<PathBuf> = match anchor {
        Anchor::Absolute => vec![PathBuf::from("/")],
        Anchor::Root(up) => {
            places.roots.iter().filter_map(|root| root.ancestors().nth(up)).map(Path::to_owned).collect()
        }
        Anchor::Anywhere => return Vec::new(),
    };
    let names: Vec<&String> = parts
        .iter()
        .map_while(|part| if let PathPart::Name(name) = part { Some(name) } else { None })
        .collect();
    bases
        .into_iter()
        .filter_map(|mut written| {
            written.reserve(names.iter().map(|name| name.len() + 1).sum());
            written.extend(&names);
            let place = match &places.ways {
                Some(ways) => ways.resolve(&written),
                None => mayi_call::resolve_path(&written),
            };
            let place = place.ok()?;
            // The same letters are the same place; only others are compared part by part.
            (place.as_os_str() != written.as_os_str() && place != written).then(|| literal_parts(&place))
        })
        .collect()
}

fn build_form(anchor: Anchor, folder: bool, followed: bool, exact: Vec<PathPart>) -> PatternForm {
    let mut folded: Vec<PathPart> = exact
        .iter()
        .map(|part| match part {
            PathPart::Name(name) => PathPart::Name(crate::fold::fold_text(name).into_owned()),
            PathPart::Glob(glob) => PathPart::Glob(glob.to_folded()),
            PathPart::Deep => PathPart::Deep,
        })
        .collect();
    let mut exact = exact;
    if folder {
        // An allow of a folder is about what is in it.
        exact.extend([PathPart::Deep, any_name()]);
    } else if exact.last() == Some(&PathPart::Deep) {
        // `dir/**` is not the folder itself.
        exact.push(any_name());
        folded.push(any_name());
    }
    PatternForm { anchor, followed, exact, folded }
}

fn any_name() -> PathPart {
    PathPart::Glob(Glob::parse_stars("*"))
}

/// The names of a path, as parts.
fn literal_parts(path: &Path) -> Vec<PathPart> {
    let names = path.components().filter_map(|component| match component {
        std::path::Component::Normal(name) => Some(PathPart::Name(name.to_string_lossy().into_owned())),
        _ => None,
    });
    names.collect()
}

/// The parts of a glob, and how many folders above its start it begins.
fn parse_parts(text: &str) -> Result<(Vec<PathPart>, usize), String> {
    let mut parts: Vec<PathPart> = Vec::new();
    let mut up = 0;
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => match parts.last() {
                None => up += 1,
                Some(PathPart::Name(_)) => {
                    parts.pop();
                }
                Some(_) => return Err("write the path without `..` behind a wildcard".to_owned()),
            },
            "**" => {
                if parts.last() != Some(&PathPart::Deep) {
                    parts.push(PathPart::Deep);
                }
            }
            // Most names are just that.
            name if !name.contains(['*', '?', '[', '\\']) => parts.push(PathPart::Name(name.to_owned())),
            name => {
                let glob = Glob::parse(name)?;
                parts.push(glob.literal_text().map_or(PathPart::Glob(glob), PathPart::Name));
            }
        }
    }
    Ok((parts, up))
}
