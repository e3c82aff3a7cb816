//! Tasks and programs in manifests of packages.

use std::path::{Path, PathBuf};

use super::{FileReader, MOST_FOLDERS};

/// The scripts of a `package.json`.
pub(super) fn package_scripts(text: &str) -> Vec<String> {
    let file: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let scripts = file.get("scripts").and_then(serde_json::Value::as_object);
    scripts.map(|scripts| scripts.keys().cloned().collect()).unwrap_or_default()
}

/// Whether its tests or other scripts are for several packages at once.
pub(super) fn is_workspace(text: &str) -> bool {
    let file: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    file.get("workspaces").is_some()
}

/// Tasks of a `pyproject.toml`, each with what runs it.
pub(super) fn pyproject_tasks(text: &str) -> Vec<(&'static str, String)> {
    let Ok(file) = text.parse::<toml::Table>() else { return Vec::new() };
    let table = |keys: &[&str]| {
        let mut at = Some(&file);
        for key in keys {
            at = at.and_then(|table| table.get(*key)).and_then(toml::Value::as_table);
        }
        at
    };
    let names =
        |keys: &[&str]| table(keys).into_iter().flat_map(|found| found.keys().cloned()).collect::<Vec<_>>();
    let mut found = Vec::new();
    let mut add = |runner: &'static str, names: Vec<String>| {
        found.extend(names.into_iter().map(|name| (runner, name)));
    };
    add("poe", names(&["tool", "poe", "tasks"]));
    add("pdm run", names(&["tool", "pdm", "scripts"]));
    add("task", names(&["tool", "taskipy", "tasks"]));
    add("uv run", names(&["project", "scripts"]));
    for env in names(&["tool", "hatch", "envs"]) {
        let scripts = names(&["tool", "hatch", "envs", &env, "scripts"]);
        // Those of the first environment go without its name.
        let own = |name: String| if env == "default" { name } else { format!("{env}:{name}") };
        add("hatch run", scripts.into_iter().map(own).collect());
    }
    found
}

/// The programs that cargo makes of the packages in `folder`, by their names.
pub(super) fn cargo_programs(folder: &Path, read: &FileReader) -> Vec<String> {
    let mut found = Vec::new();
    let top = read(&folder.join("Cargo.toml"));
    let members = top.as_deref().map(|text| workspace_members(folder, text)).unwrap_or_default();
    for package in std::iter::once(folder.to_owned()).chain(members).take(MOST_FOLDERS) {
        let text = read(&package.join("Cargo.toml"));
        let Some(file) = text.and_then(|text| text.parse::<toml::Table>().ok()) else { continue };
        let name = |of: &toml::Value| Some(of.get("name")?.as_str()?.to_owned());
        // One that has no library is a program, also before it is written.
        if package.join("src/main.rs").is_file() || !package.join("src/lib.rs").is_file() {
            found.extend(file.get("package").and_then(name));
        }
        let bins = file.get("bin").and_then(toml::Value::as_array);
        found.extend(bins.into_iter().flatten().filter_map(name));
        let beside = super::super::file_names(&package.join("src/bin"));
        found.extend(beside.iter().filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())));
    }
    found
}

/// The folders of a workspace's members: as they are named, or all of one folder (`crates/*`).
fn workspace_members(folder: &Path, text: &str) -> Vec<PathBuf> {
    let Ok(file) = text.parse::<toml::Table>() else { return Vec::new() };
    let workspace = file.get("workspace").and_then(|workspace| workspace.get("members"));
    let listed = workspace.and_then(toml::Value::as_array).into_iter().flatten();
    let mut found = Vec::new();
    for member in listed.filter_map(toml::Value::as_str).take(MOST_FOLDERS) {
        let path = Path::new(member);
        if !path.components().all(|part| matches!(part, std::path::Component::Normal(_))) {
            continue;
        }
        match member.strip_suffix("/*") {
            Some(above) if !above.contains('*') => {
                let above = folder.join(above);
                found.extend(super::super::file_names(&above).into_iter().map(|name| above.join(name)));
            }
            _ => found.push(folder.join(path)),
        }
    }
    found.truncate(MOST_FOLDERS);
    found
}
