//! The pages that people read: what they name is there, links lead somewhere, and the first of them stay short.

use std::collections::BTreeSet;

use super::{Source, everything, read, top};

/// Pages of which somebody reads all, and the most lines of each.
const SHORT: &[(&str, usize)] = &[("ARCHITECTURE.md", 250), ("README.md", 150)];

/// What somebody does who has just come here: the first blocks of code of README.md, in this order.
const FIRST: [&str; 2] = ["cargo run -- run demo \"show me what you do\"", "tests/run"];

/// Folders at the top: what begins with one of them is a path from there.
const FOLDERS: &[&str] = &["acp-server", "cli", "core", "docs", "editors", "tests"];

/// Ends of names of files that pages name without the whole path.
const ENDS: &[&str] = &[".rs", ".toml", ".ts", ".js", ".md", ".json", ".jsonl"];

/// The lines of a page that are not within a block of code.
fn prose(page: &str) -> String {
    let mut inside = false;
    let lines = page.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands between backticks and could be the name of a file or folder; of a test, its file.
fn named(prose: &str) -> Vec<&str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let spans = prose.split('`').skip(1).step_by(2);
    let files = spans.map(|span| span.split_once("::").map_or(span, |(file, _)| file));
    files.filter(|file| !file.is_empty() && file.chars().all(plain)).collect()
}

/// Names in `page` of files and folders that are not there.
fn gone(page: &Source, paths: &BTreeSet<String>) -> Vec<String> {
    let is_there = |name: &str| {
        let whole = FOLDERS.iter().any(|folder| name.starts_with(&format!("{folder}/")));
        let (file, below) = (format!("/{name}"), format!("{name}/"));
        paths.iter().any(|path| {
            let ends = path.ends_with(&file) || path.replace("/src/", "/").ends_with(&file);
            path == name || path.starts_with(&below) || !whole && ends
        })
    };
    let text = prose(&page.text);
    let names = named(&text).into_iter().map(|name| name.trim_end_matches('/'));
    let of_files = names.filter(|name| {
        FOLDERS.iter().any(|folder| name.starts_with(&format!("{folder}/")))
            || ENDS.iter().any(|end| name.ends_with(end) && name.len() > end.len())
    });
    let missing = of_files.filter(|name| !is_there(name));
    missing.map(|name| format!("{}: there is no {name}", page.path)).collect()
}

/// Where a link of the page at `path` leads: the file from the top, and the anchor.
fn target(path: &str, link: &str) -> (String, Option<String>) {
    let (file, anchor) =
        link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor.to_owned())));
    let mut folders: Vec<&str> = path.split('/').collect();
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
    (folders.join("/"), anchor)
}

/// The links of a page to what is in the repository.
fn links(page: &str) -> Vec<String> {
    let text = prose(page);
    // A link in a span of code is none: patterns may look like one.
    let outside: String = text.split('`').step_by(2).collect();
    let targets = outside.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(link, _)| link.to_owned()).filter(|link| !link.contains("://")).collect()
}

/// The anchors that headings of a page have, as code hosts and mdBook make them, and those that are written.
fn anchors(page: &str) -> BTreeSet<String> {
    let written = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id);
    let text = prose(page);
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        words
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
                _ => None,
            })
            .collect::<String>()
    });
    headings.chain(written.map(str::to_owned)).collect()
}

/// Links that lead nowhere.
fn astray(page: &Source, pages: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for link in links(&page.text) {
        let (file, anchor) = target(&page.path, &link);
        let there = pages.iter().find(|other| other.path == file);
        let lost = match (there, anchor) {
            (Some(other), Some(anchor)) => !anchors(&other.text).contains(&anchor),
            _ => !top().join(&file).exists(),
        };
        if lost {
            wrong.push(format!("{}: {link} leads nowhere", page.path));
        }
    }
    wrong
}

fn pages(sources: Vec<Source>) -> Vec<Source> {
    sources.into_iter().filter(|source| source.path.ends_with(".md")).collect()
}

/// "At most 250 lines": who is new reads all of it.
#[test]
fn given_the_first_pages_then_they_are_short() {
    for (page, most) in SHORT {
        let lines = read(page).lines().count();
        assert!(lines <= *most, "{page} has {lines} lines, and {most} at the most: docs/ has room");
    }
}

/// The two commands that work on a fresh machine are the first thing that one reads.
#[test]
fn given_the_readme_then_it_begins_with_the_two_commands() {
    let page = read("README.md");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
    let first: Vec<&str> = blocks.map(|(code, _)| code).take(2).collect();
    assert_eq!(first, FIRST);
    let before = page.split("tests/run").next().unwrap().lines().count();
    assert!(before < 20, "they stand at the top");
    let picture = page.split("](docs/pictures/").nth(1).and_then(|rest| rest.split_once(')'));
    assert!(picture.is_some(), "and a picture of the card below them");
}

/// Every page of docs is in the book, once.
#[test]
fn given_the_pages_of_docs_then_each_is_in_the_summary() {
    let named = links(&read("docs/SUMMARY.md"));
    let of_docs = pages(everything()).into_iter().filter_map(|page| {
        page.path.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md").map(str::to_owned)
    });
    let mut there: Vec<String> = of_docs.collect();
    let mut told = named;
    there.sort();
    told.sort();
    assert_eq!(told, there);
}

/// Who looks for the place of a change finds it where the page says.
#[test]
fn given_the_pages_about_the_code_then_every_file_that_they_name_is_there() {
    let sources = everything();
    let paths: BTreeSet<String> = sources.iter().map(|source| source.path.clone()).collect();
    let of_code = sources
        .iter()
        .filter(|page| page.path == "ARCHITECTURE.md" || page.path.starts_with("docs/architecture/"));
    let missing: Vec<String> = of_code.flat_map(|page| gone(page, &paths)).collect();
    assert_eq!(missing, [""; 0]);
}

/// Comments that send a reader to a page of docs send him to one that is there.
#[test]
fn given_comments_that_name_a_page_then_it_is_there() {
    let word = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
    let mut wrong = Vec::new();
    let mut found = 0;
    for source in everything() {
        let comments = source.text.lines().filter(|line| {
            let line = line.trim_start();
            line.starts_with("//") || line.starts_with('#') || line.starts_with('*')
        });
        let words = comments.flat_map(|line| line.split(word));
        for name in words.map(|name| name.trim_end_matches('.')) {
            if name.starts_with("docs/") && name.ends_with(".md") {
                found += 1;
                // What stands in examples is called so.
                let example = name == "docs/a.md" || name.starts_with("docs/a/");
                if !top().join(name).exists() && !example {
                    wrong.push(format!("{}: there is no {name}", source.path));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(found > 10, "comments are looked through");
}

#[test]
fn given_links_then_each_leads_to_a_file_and_a_heading() {
    let pages = pages(everything());
    let wrong: Vec<String> = pages.iter().flat_map(|page| astray(page, &pages)).collect();
    assert_eq!(wrong, [""; 0]);
}

/// The checks by themselves: what is not there is told.
#[test]
fn given_a_page_with_what_is_not_there_then_it_is_told() {
    let page = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let paths = ["core/call/src/path/walk.rs", "cli/src/exit.rs", "docs/b.md"].map(str::to_owned).into();
    let text = "`call/path/walk.rs` `walk.rs` `cli/src/` `core/call/walk.rs` `exit.rs::f` `cli/exit.rs` `gone.rs`\n\
                ```text\n`lost.rs`\n```\n`tools/call` `Gate::submit` `a b.rs`";
    assert_eq!(
        gone(&page("x.md", text), &paths),
        ["core/call/walk.rs", "cli/exit.rs", "gone.rs"].map(|name| format!("x.md: there is no {name}"))
    );
    let pages = [
        page(
            "docs/a/x.md",
            "# A b, `c`\n[1](#a-b-c) [2](../b.md#there) [3](../b.md#gone) `[4](y.md)` [5](z.md)",
        ),
        page("docs/b.md", "## <a id=\"there\"></a>T\n[6](https://example.com/x#y) [7](a/x.md#a-b-c)"),
    ];
    let told: Vec<String> = pages.iter().flat_map(|page| astray(page, &pages)).collect();
    assert_eq!(told, ["../b.md#gone", "z.md"].map(|link| format!("docs/a/x.md: {link} leads nowhere")));
}

/// Mode auto is said to be what it is, in the same words wherever it is chosen.
#[test]
fn given_each_place_where_mode_auto_is_chosen_then_it_says_the_same_of_it() {
    const SAYS: &str = "only where a rule or protection says so, and before what destroys elsewhere";
    let plain = |path: &str| {
        let text = read(path).replace("\n///", " ").replace("\\\n", " ");
        text.split(|c: char| c.is_whitespace() || c == '#')
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for path in [
        "README.md",
        "docs/rules.md",
        "docs/configuration.md",
        "docs/commands.md",
        "cli/src/commands/acp/args.rs",
        "cli/src/commands/check/args.rs",
        "cli/src/commands/init.rs",
        "cli/src/commands/mcp/args.rs",
        "cli/src/commands/responses.rs",
        "cli/src/commands/run/args.rs",
        "core/config/src/scalars/table.rs",
        "core/config/src/template/data/trusting.toml",
        "core/doors/acp-proxy/src/editor/config.rs",
        "acp-server/src/rpc/settings.rs",
        "editors/vscode/package.json",
        "editors/vscode/src/host/dialogs.ts",
    ] {
        let text = plain(path);
        assert!(text.contains(SAYS), "{path}");
        assert!(text.to_lowercase().contains("dangerous"), "{path} does not say that it is dangerous");
    }
}
