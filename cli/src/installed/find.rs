//! Which way it was: each way has its own evidence, and without any it is not known.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{CargoSource, Evidence, NpmBy, Way, WheelBy};

/// The package's name, everywhere.
const PACKAGE: &str = "mayi";

/// How the `program`, whose path has no links in it, was installed, by what `evidence` says.
pub(crate) fn way(program: &Path, evidence: &Evidence) -> Way {
    let found = nix(program, evidence)
        .or_else(|| homebrew(program))
        .or_else(|| npm(program, evidence))
        .or_else(|| extension(program, evidence))
        .or_else(|| development(program, evidence))
        .or_else(|| wheel(program, evidence))
        .or_else(|| cargo(program, evidence))
        .or_else(|| debian(program, evidence))
        .or_else(|| archive(program, evidence));
    found.unwrap_or(Way::Unknown)
}

/// The parts of a path, as far as they are text.
fn parts(path: &Path) -> Vec<&str> {
    path.iter().filter_map(|part| part.to_str()).collect()
}

/// The folder that `count` parts of a path lead to.
fn upto(path: &Path, count: usize) -> PathBuf {
    path.iter().take(count).collect()
}

fn nix(program: &Path, evidence: &Evidence) -> Option<Way> {
    let rest = program.strip_prefix("/nix/store").ok()?;
    let store = Path::new("/nix/store").join(rest.iter().next()?);
    let home = evidence.home.as_deref()?;
    let profiles = [".nix-profile/manifest.json", ".local/state/nix/profile/manifest.json"];
    let manifests = profiles.iter().filter_map(|name| evidence.text(&home.join(name)));
    let store = store.to_str()?;
    Some(Way::Nix { profile: manifests.into_iter().any(|text| text.contains(store)) })
}

/// `PREFIX/Cellar/FORMULA/VERSION/bin/mayi`
fn homebrew(program: &Path) -> Option<Way> {
    let parts = parts(program);
    let at = parts.iter().position(|part| *part == "Cellar")?;
    let formula = parts.get(at + 1)?;
    parts.get(at + 4).map(|_| Way::Homebrew { formula: (*formula).to_owned() })
}

fn npm(program: &Path, evidence: &Evidence) -> Option<Way> {
    let parts = parts(program);
    let first = parts.iter().position(|part| *part == "node_modules")?;
    let last = parts.iter().rposition(|part| *part == "node_modules")?;
    let named = match parts.get(last + 1)? {
        scope if scope.starts_with('@') => format!("{scope}/{}", parts.get(last + 2)?),
        name => (*name).to_owned(),
    };
    if !named.contains(PACKAGE) {
        return None;
    }
    let above = upto(program, first);
    let has = |name: &str| parts.iter().take(first).any(|part| *part == name);
    let follow = |one: &str, other: &str| {
        parts.windows(2).take(first).any(|pair| matches!(pair, [a, b] if *a == one && *b == other))
    };
    let by = if has("_npx") {
        NpmBy::Run("npx")
    } else if has("dlx") || parts.iter().take(first).any(|part| part.starts_with("dlx-")) {
        NpmBy::Run("pnpm dlx")
    } else if follow("install", "global") && has(".bun") {
        NpmBy::Global("bun")
    } else if has("pnpm") && has("global") || has("pnpm-global") {
        NpmBy::Global("pnpm")
    } else if has("yarn") && has("global") {
        NpmBy::Global("yarn")
    } else if above.ends_with("lib") && !evidence.has(&above, "package.json") || above.ends_with("npm") {
        NpmBy::Global("npm")
    } else {
        NpmBy::Project(above)
    };
    // The platform's package comes with the one that people install.
    Some(Way::Npm { by, package: PACKAGE.to_owned() })
}

/// `.../extensions/mayi.mayi-vscode-VERSION/...`
fn extension(program: &Path, evidence: &Evidence) -> Option<Way> {
    let parts = parts(program);
    let at = parts.iter().rposition(|part| *part == "extensions")?;
    parts.get(at + 1).filter(|name| name.starts_with("mayi.mayi-vscode"))?;
    let folder = upto(program, at + 2);
    // A folder that is only called so has none.
    evidence.has(&folder, "package.json").then_some(Way::Extension { folder })
}

/// `PROJECT/target/.../mayi`, in a folder that cargo made.
fn development(program: &Path, evidence: &Evidence) -> Option<Way> {
    // target/debug, target/TRIPLE/release, and deps or examples below.
    for target in program.ancestors().skip(2).take(3) {
        let names = evidence.names(target);
        let has = |name: &str| names.iter().any(|other| other == name);
        if has(".rustc_info.json") || (has("CACHEDIR.TAG") && target.ends_with("target")) {
            let project = target.parent().unwrap_or(target);
            return Some(Way::Development { project: project.to_owned() });
        }
    }
    None
}

/// `PREFIX/bin/mayi`, and its package's folder below `PREFIX/lib/pythonVERSION`.
fn wheel(program: &Path, evidence: &Evidence) -> Option<Way> {
    let prefix = program.parent()?.parent()?;
    let packages = packages(prefix, evidence).into_iter().find_map(|folder| {
        let names = evidence.names(&folder);
        let of = names.into_iter().find(|name| {
            name.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with('-'))
                && name.ends_with(".dist-info")
        })?;
        Some(folder.join(of))
    });
    let info = packages?;
    let file = program.file_name()?.to_str()?;
    // That it is this program which came with it.
    let record = evidence.text(&info.join("RECORD"))?;
    let scripts = program.parent()?.file_name()?.to_str()?;
    let ends = format!("{scripts}/{file},");
    if !record.lines().any(|line| line.replace('\\', "/").contains(&ends)) {
        return None;
    }
    let installer = evidence.text(&info.join("INSTALLER")).unwrap_or_default();
    let from = evidence
        .text(&info.join("direct_url.json"))
        .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        .and_then(|value| Some(value.get("url")?.as_str()?.to_owned()));
    Some(Way::Wheel { by: wheel_by(prefix, installer.trim(), evidence), from })
}

fn packages(prefix: &Path, evidence: &Evidence) -> Vec<PathBuf> {
    let mut folders = vec![prefix.join("Lib/site-packages")];
    for lib in ["lib", "lib64"].map(|lib| prefix.join(lib)) {
        for python in evidence.names(&lib).iter().filter(|name| name.starts_with("python")) {
            folders.extend(["site-packages", "dist-packages"].map(|name| lib.join(python).join(name)));
        }
    }
    folders
}

fn wheel_by(prefix: &Path, installer: &str, evidence: &Evidence) -> WheelBy {
    let names = evidence.names(prefix);
    let has = |name: &str| names.iter().any(|other| other == name);
    let parts = parts(prefix);
    let below = |one: &str, other: &str| parts.windows(2).any(|pair| pair == [one, other]);
    if has("uv-receipt.toml") {
        return WheelBy::UvTool;
    }
    if parts.iter().any(|part| part.starts_with("archive-v") || part.starts_with("environments-v")) {
        return WheelBy::Run("uvx");
    }
    if below("pipx", ".cache") || below(".cache", "pipx") {
        return WheelBy::Run("pipx run");
    }
    if has("pipx_metadata.json") || below("pipx", "venvs") {
        return WheelBy::Pipx;
    }
    if has("pyvenv.cfg") {
        let prefix = prefix.to_owned();
        let project = prefix.parent().filter(|_| prefix.ends_with(".venv"));
        return match (installer, project) {
            ("uv", Some(project)) if evidence.has(project, "uv.lock") => {
                WheelBy::UvProject(project.to_owned())
            }
            ("uv", _) => WheelBy::UvPip(prefix),
            ("pip" | "", _) => WheelBy::Pip(prefix),
            (other, _) => WheelBy::Other(other.to_owned()),
        };
    }
    match installer {
        "pip" | "" => {
            WheelBy::PipAlone { user: evidence.home.as_deref().is_some_and(|home| prefix.starts_with(home)) }
        }
        other => WheelBy::Other(other.to_owned()),
    }
}

/// `ROOT/bin/mayi`, and cargo's list of what it installed there.
fn cargo(program: &Path, evidence: &Evidence) -> Option<Way> {
    let bin = program.parent().filter(|bin| bin.ends_with("bin"))?;
    let root = bin.parent()?;
    let list: Value = serde_json::from_str(&evidence.text(&root.join(".crates2.json"))?).ok()?;
    let file = program.file_name()?.to_str()?;
    let of = |value: &Value| {
        let bins = value.get("bins").and_then(Value::as_array);
        bins.is_some_and(|bins| bins.iter().any(|bin| bin.as_str() == Some(file)))
    };
    let (id, _) = list.get("installs")?.as_object()?.iter().find(|(_, value)| of(value))?;
    // `mayi 0.1.0 (git+https://host/mayi#0123)`
    let source = id.split_once('(')?.1.trim_end_matches(')');
    let from = match source.split_once('+') {
        Some(("git", url)) => CargoSource::Git(url.split(['#', '?']).next().unwrap_or(url).to_owned()),
        Some(("path", url)) => CargoSource::Path(url.trim_start_matches("file://").to_owned()),
        _ => CargoSource::Registry,
    };
    let usual = evidence.cargo.as_deref() == Some(root);
    Some(Way::Cargo { root: (!usual).then(|| root.to_owned()), from })
}

/// A line of dpkg's list of a package's files.
fn debian(program: &Path, evidence: &Evidence) -> Option<Way> {
    let info = Path::new("/var/lib/dpkg/info");
    let program = program.to_str()?;
    let lists = evidence.names(info).into_iter().filter(|name| {
        name.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with(['.', ':', '-']))
            && name.ends_with(".list")
    });
    // Older packages have it in /bin, which leads to /usr/bin.
    let also = program.strip_prefix("/usr").unwrap_or(program);
    lists.into_iter().find_map(|name| {
        let text = evidence.text(&info.join(&name))?;
        let package = name.strip_suffix(".list")?.split(':').next()?.to_owned();
        text.lines().any(|line| line == program || line == also).then_some(Way::Debian { package })
    })
}

/// What comes in an archive beside the program, or a folder below.
fn archive(program: &Path, evidence: &Evidence) -> Option<Way> {
    let folder = program.parent()?;
    let folder = if folder.ends_with("bin") { folder.parent()? } else { folder };
    let names = evidence.names(folder);
    let named = folder.file_name()?.to_str()?.starts_with("mayi-");
    let has = |name: &str| names.iter().any(|other| other == name);
    let whole = (has("completions") || has("man") || has("mayi.schema.json")) && has("README.md");
    (named || whole).then(|| Way::Archive { folder: folder.to_owned() })
}
