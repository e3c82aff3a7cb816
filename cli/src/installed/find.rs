//! Which way it was: each way has its own evidence, and without any it is not known.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{CargoSource, InstallEvidence, InstallMethod, NpmInstaller, WheelInstaller};

/// The package's name, everywhere.
const PACKAGE: &str = "mayi";

/// How the `program`, whose path has no links in it, was installed, by what `evidence` says.
pub(crate) fn detect_install_method(program: &Path, evidence: &InstallEvidence) -> InstallMethod {
    let found = detect_nix(program, evidence)
        .or_else(|| detect_homebrew(program))
        .or_else(|| detect_npm(program, evidence))
        .or_else(|| detect_extension(program, evidence))
        .or_else(|| detect_development(program, evidence))
        .or_else(|| detect_wheel(program, evidence))
        .or_else(|| detect_cargo(program, evidence))
        .or_else(|| detect_debian(program, evidence))
        .or_else(|| detect_archive(program, evidence));
    found.unwrap_or(InstallMethod::Unknown)
}

/// The parts of a path, as far as they are text.
fn path_components(path: &Path) -> Vec<&str> {
    path.iter().filter_map(|part| part.to_str()).collect()
}

/// The folder that `count` parts of a path lead to.
fn leading_components(path: &Path, count: usize) -> PathBuf {
    path.iter().take(count).collect()
}

fn detect_nix(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let rest = program.strip_prefix("/nix/store").ok()?;
    let store = Path::new("/nix/store").join(rest.iter().next()?);
    let home = evidence.home.as_deref()?;
    let profiles = [".nix-profile/manifest.json", ".local/state/nix/profile/manifest.json"];
    let manifests = profiles.iter().filter_map(|name| evidence.read_text(&home.join(name)));
    let store = store.to_str()?;
    Some(InstallMethod::Nix { profile: manifests.into_iter().any(|text| text.contains(store)) })
}

/// `PREFIX/Cellar/FORMULA/VERSION/bin/mayi`
fn detect_homebrew(program: &Path) -> Option<InstallMethod> {
    let parts = path_components(program);
    let at = parts.iter().position(|part| *part == "Cellar")?;
    let formula = parts.get(at + 1)?;
    parts.get(at + 4).map(|_| InstallMethod::Homebrew { formula: (*formula).to_owned() })
}

fn detect_npm(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let parts = path_components(program);
    let first = parts.iter().position(|part| *part == "node_modules")?;
    let last = parts.iter().rposition(|part| *part == "node_modules")?;
    let named = match parts.get(last + 1)? {
        scope if scope.starts_with('@') => format!("{scope}/{}", parts.get(last + 2)?),
        name => (*name).to_owned(),
    };
    if !named.contains(PACKAGE) {
        return None;
    }
    let above = leading_components(program, first);
    let has = |name: &str| parts.iter().take(first).any(|part| *part == name);
    let follow = |one: &str, other: &str| {
        parts.windows(2).take(first).any(|pair| matches!(pair, [a, b] if *a == one && *b == other))
    };
    let by = if has("_npx") {
        NpmInstaller::Run("npx")
    } else if has("dlx") || parts.iter().take(first).any(|part| part.starts_with("dlx-")) {
        NpmInstaller::Run("pnpm dlx")
    } else if follow("install", "global") && has(".bun") {
        NpmInstaller::Global("bun")
    } else if has("pnpm") && has("global") || has("pnpm-global") {
        NpmInstaller::Global("pnpm")
    } else if has("yarn") && has("global") {
        NpmInstaller::Global("yarn")
    } else if above.ends_with("lib") && !evidence.has_entry(&above, "package.json") || above.ends_with("npm")
    {
        NpmInstaller::Global("npm")
    } else {
        NpmInstaller::Project(above)
    };
    // The platform's package comes with the one that people install.
    Some(InstallMethod::Npm { by, package: PACKAGE.to_owned() })
}

/// `.../extensions/mayi.mayi-vscode-VERSION/...`
fn detect_extension(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let parts = path_components(program);
    let at = parts.iter().rposition(|part| *part == "extensions")?;
    parts.get(at + 1).filter(|name| name.starts_with("mayi.mayi-vscode"))?;
    let folder = leading_components(program, at + 2);
    // A folder that is only called so has none.
    evidence.has_entry(&folder, "package.json").then_some(InstallMethod::Extension { folder })
}

/// `PROJECT/target/.../mayi`, in a folder that cargo made.
fn detect_development(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    // target/debug, target/TRIPLE/release, and deps or examples below.
    for target in program.ancestors().skip(2).take(3) {
        let names = evidence.list_names(target);
        let has = |name: &str| names.iter().any(|other| other == name);
        if has(".rustc_info.json") || (has("CACHEDIR.TAG") && target.ends_with("target")) {
            let project = target.parent().unwrap_or(target);
            return Some(InstallMethod::Development { project: project.to_owned() });
        }
    }
    None
}

/// `PREFIX/bin/mayi`, and its package's folder below `PREFIX/lib/pythonVERSION`.
fn detect_wheel(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let prefix = program.parent()?.parent()?;
    let packages = site_packages_folders(prefix, evidence).into_iter().find_map(|folder| {
        let names = evidence.list_names(&folder);
        let of = names.into_iter().find(|name| {
            name.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with('-'))
                && name.ends_with(".dist-info")
        })?;
        Some(folder.join(of))
    });
    let info = packages?;
    let file = program.file_name()?.to_str()?;
    // That it is this program which came with it.
    let record = evidence.read_text(&info.join("RECORD"))?;
    let scripts = program.parent()?.file_name()?.to_str()?;
    let ends = format!("{scripts}/{file},");
    if !record.lines().any(|line| line.replace('\\', "/").contains(&ends)) {
        return None;
    }
    let installer = evidence.read_text(&info.join("INSTALLER")).unwrap_or_default();
    let from = evidence
        .read_text(&info.join("direct_url.json"))
        .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        .and_then(|value| Some(value.get("url")?.as_str()?.to_owned()));
    Some(InstallMethod::Wheel { by: wheel_by(prefix, installer.trim(), evidence), from })
}

fn site_packages_folders(prefix: &Path, evidence: &InstallEvidence) -> Vec<PathBuf> {
    let mut folders = vec![prefix.join("Lib/site-packages")];
    for lib in ["lib", "lib64"].map(|lib| prefix.join(lib)) {
        for python in evidence.list_names(&lib).iter().filter(|name| name.starts_with("python")) {
            folders.extend(["site-packages", "dist-packages"].map(|name| lib.join(python).join(name)));
        }
    }
    folders
}

fn wheel_by(prefix: &Path, installer: &str, evidence: &InstallEvidence) -> WheelInstaller {
    let names = evidence.list_names(prefix);
    let has = |name: &str| names.iter().any(|other| other == name);
    let parts = path_components(prefix);
    let below = |one: &str, other: &str| parts.windows(2).any(|pair| pair == [one, other]);
    if has("uv-receipt.toml") {
        return WheelInstaller::UvTool;
    }
    if parts.iter().any(|part| part.starts_with("archive-v") || part.starts_with("environments-v")) {
        return WheelInstaller::Run("uvx");
    }
    if below("pipx", ".cache") || below(".cache", "pipx") {
        return WheelInstaller::Run("pipx run");
    }
    if has("pipx_metadata.json") || below("pipx", "venvs") {
        return WheelInstaller::Pipx;
    }
    if has("pyvenv.cfg") {
        let prefix = prefix.to_owned();
        let project = prefix.parent().filter(|_| prefix.ends_with(".venv"));
        return match (installer, project) {
            ("uv", Some(project)) if evidence.has_entry(project, "uv.lock") => {
                WheelInstaller::UvProject(project.to_owned())
            }
            ("uv", _) => WheelInstaller::UvPip(prefix),
            ("pip" | "", _) => WheelInstaller::Pip(prefix),
            (other, _) => WheelInstaller::Other(other.to_owned()),
        };
    }
    match installer {
        "pip" | "" => WheelInstaller::PipAlone {
            user: evidence.home.as_deref().is_some_and(|home| prefix.starts_with(home)),
        },
        other => WheelInstaller::Other(other.to_owned()),
    }
}

/// `ROOT/bin/mayi`, and cargo's list of what it installed there.
fn detect_cargo(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let bin = program.parent().filter(|bin| bin.ends_with("bin"))?;
    let root = bin.parent()?;
    let list: Value = serde_json::from_str(&evidence.read_text(&root.join(".crates2.json"))?).ok()?;
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
    Some(InstallMethod::Cargo { root: (!usual).then(|| root.to_owned()), from })
}

/// A line of dpkg's list of a package's files.
fn detect_debian(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let info = Path::new("/var/lib/dpkg/info");
    let program = program.to_str()?;
    let lists = evidence.list_names(info).into_iter().filter(|name| {
        name.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with(['.', ':', '-']))
            && name.ends_with(".list")
    });
    // Older packages have it in /bin, which leads to /usr/bin.
    let also = program.strip_prefix("/usr").unwrap_or(program);
    lists.into_iter().find_map(|name| {
        let text = evidence.read_text(&info.join(&name))?;
        let package = name.strip_suffix(".list")?.split(':').next()?.to_owned();
        text.lines().any(|line| line == program || line == also).then_some(InstallMethod::Debian { package })
    })
}

/// What comes in an archive beside the program, or a folder below.
fn detect_archive(program: &Path, evidence: &InstallEvidence) -> Option<InstallMethod> {
    let folder = program.parent()?;
    let folder = if folder.ends_with("bin") { folder.parent()? } else { folder };
    let names = evidence.list_names(folder);
    let named = folder.file_name()?.to_str()?.starts_with("mayi-");
    let has = |name: &str| names.iter().any(|other| other == name);
    let whole = (has("completions") || has("man") || has("mayi.schema.json")) && has("README.md");
    (named || whole).then(|| InstallMethod::Archive { folder: folder.to_owned() })
}
