//! The law in `docs/law`: every citation leads to a rule there, and none to a document that nobody has.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, everything, read};

/// The pages of the law, and the letter that the ids of each begin with.
const PAGES: [(&str, char); 2] = [("docs/law/decisions.md", 'D'), ("docs/law/surfaces.md", 'S')];

const GLOSSARY: &str = "docs/glossary.md";

/// How documents were cited that the repository does not have. `#` is any digit.
const NOWHERE: &[&str] = &[
    "mendment #",
    "mendments #",
    "ecisions, section",
    "ecisions, #",
    "urfaces, section",
    "urfaces section",
    "urfaces, #",
    "eers, section",
    "Review of 20##",
    "Finding #",
    "Finding F#",
    "Agents F#",
    "Issue \"",
    "Issue #",
    "Issue, ",
    "Issue:",
    "issue \"",
    "issue, #",
    "Product:",
    "House:",
    "House, ",
    "eed 00#",
    "Seeds, #",
];

/// What is said in a source: all of a page or of data, and the comments of code. A comment of several lines is one line.
fn said(source: &Source) -> String {
    let mut text = String::new();
    let mut goes_on = false;
    for line in source.text.lines() {
        let part = comment(&source.path, line);
        text.push(if goes_on && part.is_some() { ' ' } else { '\n' });
        goes_on = part.is_some();
        text.push_str(part.unwrap_or_default());
    }
    text
}

/// What a line of a file says to people, if it says anything.
fn comment<'t>(path: &str, line: &'t str) -> Option<&'t str> {
    let own = line.trim();
    let (begins, within): (&[&str], &str) = match path.rsplit('.').next().unwrap_or_default() {
        "md" | "toml" => return (!own.is_empty()).then_some(own.trim_start_matches(['#', '>']).trim_start()),
        "rs" | "ts" | "js" | "mjs" => (&["///", "//!", "//", "/**", "/*", "*"], " // "),
        "py" | "sh" => (&["#"], " # "),
        _ => return None,
    };
    let whole = begins.iter().find_map(|mark| own.strip_prefix(mark));
    whole.or_else(|| line.split_once(within).map(|(_, comment)| comment)).map(str::trim)
}

/// The ids that a text cites: `D4.1`, or `D4` for a section.
fn cited(text: &str) -> Vec<&str> {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '\\' | '$' | '+' | '<' | '>');
    let mut found = Vec::new();
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        if matches!(letter, 'D' | 'S') && !joins(before) && before != '.' {
            let digits = |from: usize| {
                text[from..].split(|c: char| !c.is_ascii_digit()).next().map_or(from, |of| from + of.len())
            };
            let section = digits(at + 1);
            let rule = if text[section..].starts_with('.') { digits(section + 1) } else { section };
            let end = if rule > section + 1 { rule } else { section };
            if section > at + 1 && section <= at + 3 && !text[end..].starts_with(joins) {
                found.push(&text[at..end]);
            }
        }
        before = letter;
    }
    found
}

/// The places where `text` cites what nobody has.
fn nowhere(text: &str) -> Vec<String> {
    let fits = |begin: &[u8], form: &str| {
        begin.len() >= form.len()
            && form
                .bytes()
                .zip(begin)
                .all(|(of, is)| if of == b'#' { is.is_ascii_digit() } else { of == *is })
    };
    let mut places = BTreeSet::new();
    for form in NOWHERE {
        // Found by what is known of it, which is quick.
        let known = form.split('#').next().unwrap_or_default();
        let found = text.match_indices(known).map(|(at, _)| at);
        places.extend(found.filter(|at| fits(&text.as_bytes()[*at..], form)));
    }
    places.into_iter().map(|at| text[at..].chars().take(40).collect()).collect()
}

/// The anchors of a page, in their order.
fn anchors(page: &str) -> Vec<&str> {
    page.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once("\"></a>")).map(|(id, _)| id).collect()
}

/// What is wrong with the ids of a page whose rules begin with `letter`.
fn unsound(page: &str, letter: char) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut before = (0, 0);
    for id in anchors(page) {
        let place = id.strip_prefix(letter).and_then(|numbers| {
            let (section, rule) = numbers.split_once('.').unwrap_or((numbers, "0"));
            Some((section.parse::<u32>().ok()?, rule.parse::<u32>().ok()?))
        });
        let Some(place) = place else {
            wrong.push(format!("{id} is no id of this page"));
            continue;
        };
        let first = place == (0, 0) && before == (0, 0);
        if place <= before && !first || place.0 != before.0 && place.1 != 0 {
            wrong.push(format!("{id} is not in its order"));
        }
        let head =
            if place.1 == 0 { format!("## <a id=\"{id}\"></a>{id} ") } else { format!("</a>**{id}** ") };
        if page.matches(&head).count() != 1 {
            wrong.push(format!("{id} does not stand once behind its anchor"));
        }
        before = place;
    }
    wrong
}

/// Links of a page that lead to an anchor: the file, from the top of the repository, and the anchor.
fn links(source: &Source) -> Vec<(String, String)> {
    let targets = source.text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let anchored = targets.filter_map(|(target, _)| target.split_once('#'));
    anchored
        .filter(|(file, _)| !file.contains("://"))
        .map(|(file, anchor)| {
            let mut folders: Vec<&str> = source.path.split('/').collect();
            if !file.is_empty() {
                folders.pop();
            }
            for part in file.split('/').filter(|part| !part.is_empty()) {
                match part {
                    ".." => {
                        folders.pop();
                    }
                    part => folders.push(part),
                }
            }
            (folders.join("/"), anchor.to_owned())
        })
        .collect()
}

/// What leads nowhere in `sources`, where the pages have these anchors; and how much led somewhere.
fn astray(sources: &[Source], pages: &BTreeMap<&str, BTreeSet<String>>) -> (Vec<String>, Vec<String>, usize) {
    let of_law = |id: &str| PAGES.iter().any(|(page, _)| pages.get(page).is_some_and(|ids| ids.contains(id)));
    let (mut wrong, mut right, mut linked) = (Vec::new(), Vec::new(), 0);
    for source in sources {
        let text = said(source);
        for id in cited(&text) {
            match of_law(id) {
                true => right.push(id.to_owned()),
                false => wrong.push(format!("{}: {id} is no rule of docs/law", source.path)),
            }
        }
        let nowhere = nowhere(&text);
        wrong.extend(nowhere.iter().map(|form| format!("{}: nobody has what is cited: {form}", source.path)));
        if source.path.ends_with(".md") {
            for (file, anchor) in links(source) {
                match pages.get(file.as_str()) {
                    Some(ids) if ids.contains(&anchor) => linked += 1,
                    Some(_) => wrong.push(format!("{}: {file} has no anchor {anchor}", source.path)),
                    None => {}
                }
            }
        }
    }
    (wrong, right, linked)
}

/// "Ids stay": each rule has one, in order.
#[test]
fn given_the_law_then_each_rule_has_an_id_of_its_own_in_order() {
    for (page, letter) in PAGES {
        assert_eq!(unsound(&read(page), letter), [""; 0], "{page}");
    }
    let glossary = read(GLOSSARY);
    let words = anchors(&glossary);
    assert!(words.is_sorted() && words.len() > 50, "the glossary is in the order of its words: {words:?}");
}

/// A comment that cites a rule can be followed, and none cites what the repository does not have.
#[test]
fn given_citations_then_each_leads_to_a_rule() {
    let of = |page: &'static str| (page, anchors(&read(page)).into_iter().map(str::to_owned).collect());
    let pages: BTreeMap<&str, BTreeSet<String>> =
        PAGES.iter().map(|(page, _)| *page).chain([GLOSSARY]).map(of).collect();
    let sources: Vec<Source> =
        everything().into_iter().filter(|source| source.path != "tests/tests/architecture/law.rs").collect();
    let (wrong, right, linked) = astray(&sources, &pages);
    let of_others: Vec<&Source> = sources.iter().filter(|of| !of.path.starts_with("docs/")).collect();
    let by_others = of_others.iter().map(|source| cited(&said(source)).len()).sum::<usize>();
    let rules: BTreeSet<&String> = right.iter().collect();
    println!(
        "{} citations ({by_others} of them outside of docs) resolved to {} ids of {}, and {linked} links",
        right.len(),
        rules.len(),
        pages.values().map(BTreeSet::len).sum::<usize>() - pages[GLOSSARY].len(),
    );
    assert_eq!(wrong, [""; 0], "see docs/law");
    assert!(by_others > 500, "citations are looked for");
}

/// The seeds that tests name have rows.
#[test]
fn given_a_seed_that_is_named_then_there_are_rows_of_it() {
    let sources = everything();
    let rows: String = sources
        .iter()
        .filter(|source| source.path.starts_with("tests/seeds/rows/"))
        .map(|source| source.text.as_str())
        .collect();
    for source in sources.iter().filter(|source| source.path.ends_with(".rs")) {
        for named in said(source).split("Seed ").skip(1).filter_map(|rest| rest.chars().next()) {
            let row = format!("id = \"{named}.");
            assert!(!named.is_ascii_digit() || rows.contains(&row), "{}: Seed {named}", source.path);
        }
    }
}

/// The check by itself: each way that a citation can lead nowhere is told.
#[test]
fn given_a_citation_that_leads_nowhere_then_it_is_told() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let text = "D4.1, (D2); xD1 D1x D1-2 S3.10. D123 -D1 D1.5.";
    assert_eq!(cited(text), ["D4.1", "D2", "S3.10", "D1.5"]);

    let code =
        "/// Decisions,\n/// section 6.\nlet x = \"D9.9\"; // D4.1\n//! Amendment 12\nlet amendment = 3;\n";
    let text = said(&source("a.rs", code));
    assert_eq!(nowhere(&text), ["ecisions, section 6.", "mendment 12"].map(|of| starts(&text, of)));
    assert_eq!(cited(&text), ["D4.1"]);
    assert_eq!(nowhere("the decisions, and its surfaces; Product of 3; an issue with amendments"), [""; 0]);

    let page = "## <a id=\"D1\"></a>D1 x\n- <a id=\"D1.1\"></a>**D1.1** x\n- <a id=\"D1.3\"></a>**D1.3** y\n";
    assert_eq!(unsound(page, 'D'), [""; 0]);
    let page =
        page.replace("D1.3", "D1.1") + "- <a id=\"S1.2\"></a>**S1.2** z\n- <a id=\"D1.4\"></a>**D1.5** z\n";
    let told = unsound(&page, 'D');
    assert_eq!(told[0], "D1.1 does not stand once behind its anchor");
    assert!(
        told.contains(&"D1.1 is not in its order".to_owned())
            && told.contains(&"S1.2 is no id of this page".to_owned())
    );
    assert_eq!(told.last().map(String::as_str), Some("D1.4 does not stand once behind its anchor"));

    let ids = |of: &[&str]| of.iter().map(|id| (*id).to_owned()).collect();
    let pages = BTreeMap::from([("docs/law/decisions.md", ids(&["D1.1"])), (GLOSSARY, ids(&["door"]))]);
    let sources = [
        source("a.rs", "// D1.1\n// D1.2\n"),
        source("docs/a.md", "[a](law/decisions.md#D1.1) [b](glossary.md#gate) [c](b.md#x) [d](https://x/#y)"),
    ];
    let (wrong, right, linked) = astray(&sources, &pages);
    assert_eq!(
        wrong,
        ["a.rs: D1.2 is no rule of docs/law", "docs/a.md: docs/glossary.md has no anchor gate"]
    );
    assert_eq!((right, linked), (vec!["D1.1".to_owned(), "D1.1".to_owned()], 1));
}

/// What of `text` begins with `form`, as it is told.
fn starts(text: &str, form: &str) -> String {
    text[text.find(form).unwrap()..].chars().take(40).collect()
}
