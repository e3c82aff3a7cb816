//! Where dependencies come from, and under which licences: what `deny.toml` says, held without cargo-deny. And what each
//! is for: docs/dependencies.md.

use std::process::Command;

use serde_json::Value;

use crate::{metadata, read, top};

/// A list of words in `deny.toml`.
fn listed(table: &str, key: &str) -> Vec<String> {
    let deny: toml::Table = read("deny.toml").parse().unwrap();
    deny[table][key].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// Dependencies that the table does not tell of.
fn untold_dependencies(metadata: &Value, table: &[Vec<&str>]) -> Vec<String> {
    let told: Vec<&str> = table.iter().flat_map(|row| row[0].split('`')).collect();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let all = packages.flat_map(|package| package["dependencies"].as_array().unwrap());
    let names = all.map(|dependency| dependency["name"].as_str().unwrap());
    let mut untold: Vec<String> = names.filter(|name| !told.contains(name)).map(str::to_owned).collect();
    untold.sort();
    untold.dedup();
    untold
}

/// The rows of a table under `heading`: the cells of each, without the head.
fn rows<'t>(document: &'t str, heading: &str) -> Vec<Vec<&'t str>> {
    let section = document.split("\n## ").find(|section| section.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("there is no section \"{heading}\""));
    let cells = |line: &'t str| -> Vec<&str> { line.trim_matches('|').split('|').map(str::trim).collect() };
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(cells).collect()
}

/// The packages that are built on this platform, without those of features that are not asked for: others need not be
/// there.
fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |arguments: &[&str]| {
        let output = Command::new(&cargo).args(arguments).current_dir(top()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let version = run(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata =
        run(&["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host]);
    let mut metadata: Value = serde_json::from_str(&metadata).unwrap();
    serde_json::from_value(metadata["packages"].take()).unwrap()
}

/// Whether an expression of licences can be had with those of `allowed`: OR, AND, brackets, and `/` for OR.
fn may_be(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let fine = either(&mut rest, allowed);
    fine && rest.is_empty()
}

fn either(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut fine = both(words, allowed);
    while let [first, rest @ ..] = *words
        && *first == "OR"
    {
        *words = rest;
        fine |= both(words, allowed);
    }
    fine
}

fn both(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut fine = one(words, allowed);
    while let [first, rest @ ..] = *words
        && *first == "AND"
    {
        *words = rest;
        fine &= one(words, allowed);
    }
    fine
}

fn one(words: &mut &[&str], allowed: &[String]) -> bool {
    let (name, rest) = match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let fine = either(words, allowed);
            let closed = words.first() == Some(&")");
            *words = words.get(1..).unwrap_or_default();
            return fine && closed;
        }
        [name, "WITH", exception, rest @ ..] => (format!("{name} WITH {exception}"), rest),
        [name, rest @ ..] => ((*name).to_owned(), rest),
        [] => return false,
    };
    *words = rest;
    allowed.contains(&name)
}

/// "Licences: those that ask for nothing but their notice."
#[test]
fn every_dependency_has_a_licence_that_may_be() {
    let allowed = listed("licenses", "allow");
    let packages = packages();
    let wrong: Vec<String> = packages
        .iter()
        .filter(|package| !may_be(package["license"].as_str().unwrap_or_default(), &allowed))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert_eq!(wrong, [""; 0]);
    assert!(packages.len() > 200, "{}", packages.len());

    let allowed = ["A", "B", "C WITH D"].map(str::to_owned);
    for fine in ["A", "A AND B", "X OR A", "X/B", "(A OR X) AND B", "C WITH D", "X AND Y OR B"] {
        assert!(may_be(fine, &allowed), "{fine}");
    }
    for wrong in ["", "X", "A AND X", "(A OR X) AND X", "C", "A WITH D", "A B", "(A"] {
        assert!(!may_be(wrong, &allowed), "{wrong}");
    }
}

/// Whatever is built anywhere, and for the fuzzer, comes from the one registry, and is what it was when it was chosen.
#[test]
fn every_dependency_comes_from_the_registry() {
    let registries = listed("sources", "allow-registry");
    for file in ["Cargo.lock", "tests/fuzz/Cargo.lock"] {
        let lock: toml::Table = read(file).parse().unwrap();
        let packages = lock["package"].as_array().unwrap();
        let strange = packages.iter().filter(|package| {
            let source = package.get("source").and_then(|source| source.as_str());
            let known = source.is_none_or(|source| {
                source.strip_prefix("registry+").is_some_and(|from| registries.iter().any(|own| own == from))
            });
            // What has no source is the project's own.
            let own =
                source.is_none() && package["name"].as_str().is_some_and(|name| name.starts_with("mayi"));
            !(own || known && source.is_some() && package.get("checksum").is_some())
        });
        let strange: Vec<&str> = strange.filter_map(|package| package["name"].as_str()).collect();
        assert_eq!(strange, [""; 0], "{file}");
    }
}

/// "Each new one gets a line in docs/dependencies.md: what for, and what was considered."
#[test]
fn every_dependency_has_its_line() {
    let page = read("docs/dependencies.md");
    assert_eq!(untold_dependencies(&metadata(), &rows(&page, "Dependencies")), [""; 0]);
    let bad = r#"{"packages": [{"name": "mayi", "dependencies": [{"name": "clap"}, {"name": "serde"}]}]}"#;
    assert_eq!(
        untold_dependencies(&serde_json::from_str(bad).unwrap(), &[vec!["`clap`, `x`", "y"]]),
        ["serde"]
    );
}
