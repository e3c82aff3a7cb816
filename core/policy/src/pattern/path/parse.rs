//! How path globs are read.

use std::path::{Path, PathBuf};

use super::super::glob::{Glob, alternatives};
use super::super::{PatternError, Places};
use super::{Anchor, Form, Part, PathPattern};

impl PathPattern {
    pub(in super::super) fn parse(text: &str, places: &Places) -> Result<Self, PatternError> {
        Self::parse_exactly(text.trim(), places)
    }

    /// As [`Self::parse`], with spaces at the ends as part of the name.
    pub(in super::super) fn parse_exactly(text: &str, places: &Places) -> Result<Self, PatternError> {
        if text.starts_with('!') {
            return Err(PatternError::argument(
                "`!` does not negate here",
                "write an exception as `unless` in a [[rule]]",
            ));
        }
        let wrong = |why: String| PatternError::argument(format!("`{text}` is not a path glob"), why);
        let mut forms = Vec::new();
        for alternative in alternatives(text).map_err(wrong)? {
            read(&alternative, places, &mut forms)?;
        }
        forms.dedup();
        Ok(Self { forms })
    }
}

fn read(text: &str, places: &Places, forms: &mut Vec<Form>) -> Result<(), PatternError> {
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
    let (mut parts, up) =
        parts(rest).map_err(|why| PatternError::argument(format!("`{text}` is not a path glob"), why))?;
    let folder = rest.ends_with('/') && !parts.is_empty();
    let anchor = match anchor {
        Anchor::Root(_) => Anchor::Root(up),
        Anchor::Absolute => Anchor::Absolute,
        // A name at any depth.
        Anchor::Anywhere => {
            if matches!(parts.as_slice(), [Part::Glob(glob)] if glob.is_any()) {
                parts.clear();
                parts.extend([Part::Deep, any()]);
            } else if parts.first() != Some(&Part::Deep) {
                parts.insert(0, Part::Deep);
            }
            Anchor::Anywhere
        }
    };
    if home_relative.is_some() {
        let home = places.home.as_deref().ok_or_else(|| {
            PatternError::argument("there is no home folder that `~` could mean", "write the whole path")
        })?;
        parts = literal(home).into_iter().chain(parts).collect();
    }
    let followed = if places.as_written { Vec::new() } else { followed(anchor, &parts, places) };
    for place in followed {
        let rest = parts.iter().skip_while(|part| matches!(part, Part::Name(_))).cloned();
        forms.push(form(Anchor::Absolute, folder, true, place.into_iter().chain(rest).collect()));
    }
    forms.insert(0, form(anchor, folder, false, parts));
    Ok(())
}

/// Where the literal part of a pattern leads, if that is elsewhere than where it is written.
fn followed(anchor: Anchor, parts: &[Part], places: &Places) -> Vec<Vec<Part>> {
    let bases: Vec<PathBuf> = match anchor {
        Anchor::Absolute => vec![PathBuf::from("/")],
        Anchor::Root(up) => {
            places.roots.iter().filter_map(|root| root.ancestors().nth(up)).map(Path::to_owned).collect()
        }
        Anchor::Anywhere => return Vec::new(),
    };
    let names: Vec<&String> =
        parts.iter().map_while(|part| if let Part::Name(name) = part { Some(name) } else { None }).collect();
    bases
        .into_iter()
        .filter_map(|mut written| {
            written.extend(&names);
            let place = match &places.ways {
                Some(ways) => ways.resolve(&written),
                None => mayi_call::resolve(&written),
            };
            let place = place.ok()?;
            (place != written).then(|| literal(&place))
        })
        .collect()
}

fn form(anchor: Anchor, folder: bool, followed: bool, exact: Vec<Part>) -> Form {
    let mut folded: Vec<Part> = exact
        .iter()
        .map(|part| match part {
            Part::Name(name) => Part::Name(crate::fold::fold(name).into_owned()),
            Part::Glob(glob) => Part::Glob(glob.folded()),
            Part::Deep => Part::Deep,
        })
        .collect();
    let mut exact = exact;
    if folder {
        // An allow of a folder is about what is in it.
        exact.extend([Part::Deep, any()]);
    } else if exact.last() == Some(&Part::Deep) {
        // `dir/**` is not the folder itself.
        exact.push(any());
        folded.push(any());
    }
    Form { anchor, followed, exact, folded }
}

fn any() -> Part {
    Part::Glob(Glob::stars("*"))
}

/// The names of a path, as parts.
fn literal(path: &Path) -> Vec<Part> {
    let names = path.components().filter_map(|component| match component {
        std::path::Component::Normal(name) => Some(Part::Name(name.to_string_lossy().into_owned())),
        _ => None,
    });
    names.collect()
}

/// The parts of a glob, and how many folders above its start it begins.
fn parts(text: &str) -> Result<(Vec<Part>, usize), String> {
    let mut parts: Vec<Part> = Vec::new();
    let mut up = 0;
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => match parts.last() {
                None => up += 1,
                Some(Part::Name(_)) => {
                    parts.pop();
                }
                Some(_) => return Err("write the path without `..` behind a wildcard".to_owned()),
            },
            "**" => {
                if parts.last() != Some(&Part::Deep) {
                    parts.push(Part::Deep);
                }
            }
            // Most names are just that.
            name if !name.contains(['*', '?', '[', '\\']) => parts.push(Part::Name(name.to_owned())),
            name => {
                let glob = Glob::parse(name)?;
                parts.push(glob.literal().map_or(Part::Glob(glob), Part::Name));
            }
        }
    }
    Ok((parts, up))
}
