//! THREATS.md: written by hand but for the parts that `just threats` writes from `docs/threats`.

use super::attacks::{Status, Theme, Threat, themes};
use super::{read, top};

/// Maximum size of the page in bytes: a person reads it in a quarter of an hour.
const LARGEST: usize = 32_000;

/// The most columns of a line, as in the rest of the page.
const WIDEST: usize = 120;

/// An item of a list. What stands between backticks is not broken, and neither are ids between brackets.
fn item(text: &str) -> String {
    let (mut lines, mut line, mut quoted) = (String::new(), "-".to_owned(), false);
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if quoted || last.starts_with('[') && !last.ends_with(']') => {
                *last = format!("{last} {word}")
            }
            _ => words.push(word.to_owned()),
        }
        quoted ^= word.matches('`').count() % 2 == 1;
    }
    for word in words {
        if line.chars().count() + 1 + word.chars().count() > WIDEST {
            lines.push_str(&line);
            lines.push('\n');
            line = " ".to_owned();
        }
        line.push(' ');
        line.push_str(&word);
    }
    format!("{lines}{line}\n")
}

/// What is held, theme by theme.
fn held(themes: &[(String, Theme)]) -> String {
    let mut text = String::new();
    for (name, theme) in themes {
        text.push_str(&format!("### [{}](docs/threats/{name}.toml)\n\n", theme.title));
        // A paragraph is broken as an item is, without its mark.
        let says = item(&theme.says);
        text.push_str(&says.replace("\n  ", "\n")[2..]);
        text.push('\n');
        for line in &theme.lines {
            text.push_str(&item(&format!("{}. {:?}", line.says, line.of)));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// All attacks of one kind, as a list.
fn list(themes: &[(String, Theme)], status: Status, says: fn(&Threat) -> String) -> String {
    let threats = themes.iter().flat_map(|(_, theme)| theme.of(status));
    threats.map(|threat| item(&format!("[{}] {}", threat.id, says(threat)))).collect()
}

fn gap(threat: &Threat) -> String {
    let outcome = threat.outcome.as_deref().unwrap_or_default();
    let says = threat.short.clone().unwrap_or_else(|| format!("{}: {outcome}", threat.attack));
    let instead = threat.instead.as_ref().map(|instead| format!(" Meanwhile: {instead}."));
    format!("{says}.{}", instead.unwrap_or_default())
}

fn later(threat: &Threat) -> String {
    format!("{} (comes with {}).", threat.attack, threat.with.as_deref().unwrap_or_default())
}

/// `page` with `text` between the marks of the part `name`.
fn with(page: &str, name: &str, text: &str) -> String {
    let (begin, end) =
        (format!("<!-- {name}: just threats writes it -->\n"), format!("<!-- {name} ends -->\n"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("there is no {begin}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("there is no {end}"));
    format!("{before}{begin}\n{}\n\n{end}{after}", text.trim_end())
}

fn written(page: &str, themes: &[(String, Theme)]) -> String {
    let page = with(page, "held", &held(themes));
    let page = with(&page, "gaps", &list(themes, Status::Gap, gap));
    with(&page, "later", &list(themes, Status::Later, later))
}

/// The ids that stand in brackets.
fn ids(page: &str) -> Vec<u32> {
    let brackets = page.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    brackets.flat_map(|(inside, _)| inside.split(", ").filter_map(|id| id.parse().ok())).collect()
}

/// "Generated things are checked in and tested for equality", and the page stays one that is read.
#[test]
fn given_the_attacks_then_the_page_is_what_they_say() {
    let themes = themes();
    let page = written(&read("THREATS.md"), &themes);
    if std::env::var_os("MAYI_WRITE_THREATS").is_some() {
        std::fs::write(top().join("THREATS.md"), &page).unwrap();
    }
    assert!(read("THREATS.md") == page, "THREATS.md is not what docs/threats says: run `just threats`");
    assert!(page.len() <= LARGEST, "THREATS.md has {} bytes, and {LARGEST} at the most", page.len());
    let told = ids(&page);
    let threats = themes.iter().flat_map(|(_, theme)| &theme.threats);
    let untold: Vec<u32> = threats.map(|threat| threat.id).filter(|id| !told.contains(id)).collect();
    assert_eq!(untold, [0; 0], "every attack is on the page");
}

/// The writing by itself: what is between the marks is new, what is around them stays.
#[test]
fn given_a_page_then_only_what_is_between_its_marks_is_written() {
    let page = "a\n<!-- x: just threats writes it -->\nold\n<!-- x ends -->\nb\n";
    let new = with(page, "x", "new\n");
    assert_eq!(new, "a\n<!-- x: just threats writes it -->\n\nnew\n\n<!-- x ends -->\nb\n");
    assert_eq!(with(&new, "x", "new\n"), new);

    let long = format!("{} `c d e f g h i j k` l", "x".repeat(100));
    assert_eq!(item(&long), format!("- {}\n  `c d e f g h i j k` l\n", "x".repeat(100)));
    assert_eq!(item(&format!("{} [5, 6]", "x".repeat(115))), format!("- {}\n  [5, 6]\n", "x".repeat(115)));
    assert_eq!(ids("- x. [1, 23]\n[a](b) [4] `[5`"), [1, 23, 4]);
}
