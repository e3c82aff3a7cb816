//! What no file names: one registry's address, or somebody's home.

use super::{everything, top};

/// Hosts of package registries, put together so that this file does not hold them.
fn registries() -> [String; 4] {
    [["crates.io", "/api"], ["registry", ".npmjs.org"], ["pypi", ".org"], ["files", ".pythonhosted"]]
        .map(|parts| parts.concat())
}

/// Where this checkout and its user's home are: no file may know.
fn own_places() -> Vec<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let home = [home].into_iter().filter(|home| home.starts_with("/home/") || home.starts_with("/Users/"));
    home.chain([top().display().to_string()])
        .map(|place| format!("{}/", place.trim_end_matches('/')))
        .collect()
}

/// Whether `text` holds the absolute path `path`, and not one that only ends like it.
fn holds_path(text: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '*' | '/' | '}');
    text.match_indices(path).any(|(at, _)| !text[..at].ends_with(part))
}

/// Home folders of people that do not stand for anybody.
fn homes(text: &str) -> Vec<String> {
    let anybody = ["me", "you", "user", "x"];
    let name = |rest: &str| {
        rest.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).next().unwrap_or("").to_owned()
    };
    let of = |folder: &'static str| text.split(folder).skip(1).map(name).filter(|name| !name.is_empty());
    of("/home/").chain(of("/Users/")).filter(|name| !anybody.contains(&name.as_str())).collect()
}

/// No file depends on one registry's address or on the machine that it was written on.
#[test]
fn no_file_names_a_registry_or_somebodys_home() {
    let (hosts, places) = (registries(), own_places());
    let mut found = Vec::new();
    for source in everything() {
        let words = hosts.iter().filter(|host| source.text.contains(*host));
        let words = words.chain(places.iter().filter(|place| holds_path(&source.text, place)));
        found.extend(words.map(|word| format!("{}: {word}", source.path)));
        found.extend(
            homes(&source.text).into_iter().map(|name| format!("{}: the home of {name}", source.path)),
        );
    }
    assert_eq!(found, [""; 0]);
    assert_eq!(homes(&["/home/", "ada/x, /home/", "me/y, /Users/", "eve"].concat()), ["ada", "eve"]);
    assert!(holds_path("in \"/srv/mayi/core\"", "/srv/mayi/"));
    assert!(!holds_path("./srv/mayi/core", "/srv/mayi/"));
}
