//! Paths that other tools compare as plain texts, by wildcards that cross slashes or by regular expressions: the globs that
//! cover all that they match. They are for denials and asks, in which a folder covers all below it.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::collector::SkipReason;
use mayi_policy::pattern::escape_glob;

/// The most globs that one text may become.
const MOST_GLOBS: usize = 64;

/// What a text is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextPart {
    /// Just this.
    Text(String),
    /// One character; `slash`: it may be one.
    One { slash: bool },
    /// Any number of characters.
    Any { slash: bool },
    /// The text begins here.
    Begin,
    /// The text ends here.
    End,
}

use TextPart::{Any, Begin, End, One, Text};

/// Globs for all paths that `glob` matches, where `*` is any text and `?` one character.
///
/// # Errors
/// If there are none that are certain.
pub(super) fn globs_of_wildcards(glob: &str) -> Result<Vec<String>, SkipReason> {
    let mut parts = vec![Begin];
    for c in glob.trim_start_matches("./").chars() {
        match (c, parts.last_mut()) {
            ('*', Some(Any { .. })) => {}
            ('*', _) => parts.push(Any { slash: true }),
            ('?', _) => parts.push(One { slash: true }),
            (c, Some(Text(text))) => text.push(c),
            (c, _) => parts.push(Text(c.to_string())),
        }
    }
    parts.push(End);
    let mut globs = covering_globs(vec![parts])?;
    // A name by itself is meant wherever it is.
    for glob in &mut globs {
        if let Some(name) = glob.strip_prefix("./").filter(|name| !name.contains('/') && *name != "**") {
            *glob = name.to_owned();
        }
    }
    Ok(globs)
}

/// Globs for all paths in which a regular expression matches.
///
/// # Errors
/// If it is not understood, or there are none that are certain.
pub(super) fn globs_of_regex(source: &str) -> Result<Vec<String>, SkipReason> {
    // Capitals do not count where something is denied.
    let hir = regex_syntax::ParserBuilder::new().utf8(true).nest_limit(50).build().parse(source);
    let hir = hir.map_err(|_| "as a regular expression it is not understood".to_owned())?;
    covering_globs(alternatives(&hir)?)
}

/// The texts that an expression matches, each as a row of parts.
fn alternatives(hir: &Hir) -> Result<Vec<Vec<TextPart>>, SkipReason> {
    Ok(match hir.kind() {
        HirKind::Empty => vec![Vec::new()],
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| "it is not text".to_owned())?;
            vec![vec![Text(text.to_owned())]]
        }
        HirKind::Class(class) => vec![vec![one_of(class)]],
        HirKind::Look(look) => vec![match look {
            Look::Start | Look::StartLF | Look::StartCRLF => vec![Begin],
            Look::End | Look::EndLF | Look::EndCRLF => vec![End],
            // The end of a word only narrows.
            _ => Vec::new(),
        }],
        HirKind::Repetition(repetition) => {
            let inner = alternatives(&repetition.sub)?;
            if (repetition.min, repetition.max) == (0, Some(1)) {
                let mut found = vec![Vec::new()];
                found.extend(inner);
                found
            } else {
                let crosses = |part: &TextPart| match part {
                    Text(text) => text.contains('/'),
                    One { slash } | Any { slash } => *slash,
                    Begin | End => true,
                };
                vec![vec![Any { slash: inner.iter().flatten().any(crosses) }]]
            }
        }
        HirKind::Capture(capture) => alternatives(&capture.sub)?,
        HirKind::Alternation(all) => {
            let mut found = Vec::new();
            for one in all {
                found.extend(alternatives(one)?);
                check_number(found.len())?;
            }
            found
        }
        HirKind::Concat(all) => {
            let mut found = vec![Vec::new()];
            for one in all {
                let next = alternatives(one)?;
                check_number(found.len().saturating_mul(next.len()))?;
                let joined = |before: &Vec<TextPart>| -> Vec<Vec<TextPart>> {
                    next.iter().map(|after| before.iter().chain(after).cloned().collect()).collect()
                };
                found = found.iter().flat_map(joined).collect();
            }
            found
        }
    })
}

fn check_number(number: usize) -> Result<(), SkipReason> {
    if number > MOST_GLOBS { Err(format!("it stands for more than {MOST_GLOBS} paths")) } else { Ok(()) }
}

/// One character of a class; of one letter in both cases, that letter.
fn one_of(class: &Class) -> TextPart {
    let Class::Unicode(class) = class else { return One { slash: true } };
    let ranges = || class.iter();
    let single = |range: &regex_syntax::hir::ClassUnicodeRange| range.start() == range.end();
    let mut letters = ranges().filter(|range| single(range)).map(|range| range.start().to_ascii_lowercase());
    if let Some(first) = letters.next()
        && ranges().all(single)
        && letters.all(|letter| letter == first)
    {
        return Text(first.to_string());
    }
    One { slash: ranges().any(|range| (range.start()..=range.end()).contains(&'/')) }
}

fn covering_globs(texts: Vec<Vec<TextPart>>) -> Result<Vec<String>, SkipReason> {
    let mut globs: Vec<String> = Vec::new();
    for parts in texts {
        for glob in globs_of_parts(parts)? {
            if !globs.contains(&glob) {
                globs.push(glob);
            }
        }
        check_number(globs.len())?;
    }
    if globs.iter().any(|glob| glob == "**") {
        return Ok(vec!["**".to_owned()]);
    }
    // What lies deeper is below any folder too.
    let all = globs.clone();
    globs.retain(|glob| {
        glob.strip_prefix("**/*/").is_none_or(|deeper| !all.iter().any(|other| other == deeper))
    });
    Ok(globs)
}

fn globs_of_parts(mut parts: Vec<TextPart>) -> Result<Vec<String>, SkipReason> {
    let begins = parts.first() == Some(&Begin);
    let ends = parts.last() == Some(&End);
    parts.retain(|part| !matches!(part, Begin | End));
    if !begins {
        parts.insert(0, Any { slash: true });
    }
    if !ends {
        parts.push(Any { slash: true });
    }
    if parts.iter().any(|part| matches!(part, Text(text) if text.contains("..") || text.contains("//"))) {
        return Err("a path like that has no certain counterpart".to_owned());
    }
    // What stands at the end for more of the path is below a folder, or more of a name.
    let mut globs = vec![String::new()];
    let last = parts.len().saturating_sub(1);
    for (at, part) in parts.iter().enumerate() {
        let pieces: Vec<String> = match part {
            Text(text) => vec![escape_glob(text)],
            One { slash: true } => vec!["?".to_owned(), "/".to_owned()],
            One { slash: false } => vec!["?".to_owned()],
            Any { slash: false } => vec!["*".to_owned()],
            Any { slash: true } if at == 0 => vec!["\0".to_owned()],
            Any { slash: true } if at == last => vec!["\u{1}".to_owned()],
            Any { slash: true } => vec!["*".to_owned(), "*/**/*".to_owned()],
            Begin | End => Vec::new(),
        };
        check_number(globs.len().saturating_mul(pieces.len()))?;
        globs =
            globs.iter().flat_map(|glob| pieces.iter().map(move |piece| format!("{glob}{piece}"))).collect();
    }
    Ok(globs.iter().map(|glob| placed(glob)).collect())
}

/// A glob with its beginning and its end as mayi has them.
fn placed(glob: &str) -> String {
    let end = |text: &str| match text.strip_suffix('\u{1}') {
        None => text.to_owned(),
        Some("") => String::new(),
        Some(folder) if folder.ends_with('/') => format!("{folder}**"),
        Some(name) => format!("{name}*"),
    };
    let tidy = |text: String| {
        let mut text = text;
        while text.contains("**/**") {
            text = text.replace("**/**", "**");
        }
        text.replace("***", "**")
    };
    match glob.strip_prefix('\0') {
        Some(rest) => {
            let rest = end(rest);
            tidy(match rest.as_str() {
                "" | "*" => "**".to_owned(),
                rest if rest.starts_with('/') => format!("**{rest}"),
                rest if rest.contains('/') => format!("**/*{rest}"),
                name => format!("*{name}"),
            })
        }
        None => {
            let rest = end(glob);
            let rest = rest.as_str();
            tidy(match rest {
                "" | "*" | "**" => "**".to_owned(),
                rest if rest.starts_with('/') || rest.starts_with("~/") => rest.to_owned(),
                // What begins with any text may be a whole path.
                rest if rest.starts_with('*') => format!("**/{}", rest.trim_start_matches("**/")),
                rest => format!("./{rest}"),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{globs_of_regex, globs_of_wildcards};

    #[test]
    fn given_an_expression_over_paths_then_its_globs_cover_it() {
        for (source, globs) in [
            (r"\.env", &["*.env*"][..]),
            (r"\.(pem|key)$", &["*.pem", "*.key"]),
            (r"^migrations/", &["./migrations/**"]),
            (r"(^|/)\.env(\.|$)", &["./.env.*", "./.env", "**/.env.*", "**/.env"]),
            (r"secrets/", &["**/*secrets/**"]),
            (r"^/etc/", &["/etc/**"]),
            (r"package\.json$", &["*package.json"]),
            (r"a.*b$", &["*a*b", "**/*a*/**/*b"]),
            (r"a[^/]*b$", &["*a*b"]),
            (r"(?i)\.PEM$", &["*.pem"]),
            (r"^src/[a-z]+\.rs$", &["./src/*.rs"]),
            (r".*", &["**"]),
            (r"", &["**"]),
        ] {
            assert_eq!(globs_of_regex(source).unwrap(), globs, "{source}");
        }
        for source in [r"(?!x)", r"\.\./", r"(", r"(aa|b|cc|d|ee)(aa|b|cc|d|ee)(aa|b|cc|d|ee)"] {
            assert!(globs_of_regex(source).is_err(), "{source}");
        }
    }

    #[test]
    fn given_wildcards_that_cross_slashes_then_the_globs_cover_them() {
        for (wildcards, globs) in [
            ("*.env", &["*.env"][..]),
            (".env.*", &[".env.*"]),
            (".env-*", &[".env-*"]),
            ("**/*.pem", &["**/*.pem"]),
            ("**/.env.*", &["**/.env.*"]),
            ("secrets/*", &["./secrets/**"]),
            ("a*b/c", &["./a*b/c", "./a*/**/*b/c"]),
            ("/etc/*", &["/etc/**"]),
            ("~/x/**", &["~/x/**"]),
            ("*", &["**"]),
        ] {
            let found = globs_of_wildcards(wildcards).unwrap();
            assert_eq!(found, globs, "{wildcards}");
        }
    }
}
