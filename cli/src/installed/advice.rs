//! How a program is updated and removed, by how it was installed: what to type, or to do.

use std::path::Path;

use mayi_core::call::shell::{join, quote};

use super::{CargoSource, NpmBy, Way, WheelBy};

/// A line for a shell, of these words.
fn line(words: &[&str]) -> String {
    join(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

impl Way {
    /// A name for programs.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::Cargo { .. } => "cargo",
            Self::Wheel { by, .. } => match by {
                WheelBy::Pipx => "pipx",
                WheelBy::UvTool | WheelBy::UvProject(_) | WheelBy::UvPip(_) => "uv",
                WheelBy::Run(_) => "run",
                WheelBy::Pip(_) | WheelBy::PipAlone { .. } => "pip",
                WheelBy::Other(_) => "wheel",
            },
            Self::Npm { by: NpmBy::Run(_), .. } => "run",
            Self::Npm { .. } => "npm",
            Self::Debian { .. } => "debian",
            Self::Homebrew { .. } => "homebrew",
            Self::Nix { .. } => "nix",
            Self::Extension { .. } => "extension",
            Self::Development { .. } => "development",
            Self::Archive { .. } => "archive",
            Self::Unknown => "unknown",
        }
    }

    /// How it was installed, for people: what comes after "installed by", or a sentence of its own.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Cargo { from, .. } => match from {
                CargoSource::Registry => "installed by cargo, from its registry".to_owned(),
                CargoSource::Git(url) => format!("installed by cargo, from {url}"),
                CargoSource::Path(path) => format!("installed by cargo, from the folder {path}"),
            },
            Self::Wheel { by, from } => {
                let from = from.as_ref().map(|from| format!(", from {from}")).unwrap_or_default();
                match by {
                    WheelBy::Pipx => format!("a wheel, installed by pipx{from}"),
                    WheelBy::UvTool => format!("a wheel, installed by uv as a tool{from}"),
                    WheelBy::Run(by) => format!("a wheel that {by} keeps for its runs{from}"),
                    WheelBy::UvProject(project) => {
                        format!("a wheel, installed by uv in the project {}{from}", text(project))
                    }
                    WheelBy::UvPip(venv) => format!("a wheel, installed by uv in {}{from}", text(venv)),
                    WheelBy::Pip(venv) => format!("a wheel, installed by pip in {}{from}", text(venv)),
                    WheelBy::PipAlone { user: true } => format!("a wheel, installed by pip for you{from}"),
                    WheelBy::PipAlone { user: false } => format!("a wheel, installed by pip for all{from}"),
                    WheelBy::Other(by) => format!("a wheel, installed by {by}{from}"),
                }
            }
            Self::Npm { by, .. } => match by {
                NpmBy::Global(by) => format!("a package of npm, installed by {by} for all projects"),
                NpmBy::Run(by) => format!("a package of npm that {by} keeps for its runs"),
                NpmBy::Project(folder) => format!("a package of npm in the project {}", text(folder)),
            },
            Self::Debian { package } => format!("the Debian package {package}"),
            Self::Homebrew { formula } => format!("Homebrew's formula {formula}"),
            Self::Nix { profile: true } => "from Nix, in your profile".to_owned(),
            Self::Nix { profile: false } => "from Nix, and not in your profile".to_owned(),
            Self::Extension { folder } => format!("the editor's extension in {}", text(folder)),
            Self::Development { project } => format!("a build of the project {}", text(project)),
            Self::Archive { folder } => format!("an archive, unpacked in {}", text(folder)),
            Self::Unknown => "how it was installed can't be told from where it is".to_owned(),
        }
    }

    /// How a newer one is had.
    pub(crate) fn update(&self) -> Vec<String> {
        match self {
            Self::Cargo { root, from } => {
                let mut words = vec!["cargo", "install", "--locked"];
                let root = root.as_deref().map(text);
                if let Some(root) = &root {
                    words.extend(["--root", root]);
                }
                match from {
                    CargoSource::Registry => words.push("mayi"),
                    CargoSource::Git(url) => words.extend(["--git", url, "mayi"]),
                    CargoSource::Path(path) => {
                        words.extend(["--path", path]);
                        return vec![format!("{} && {}", line(&["git", "-C", path, "pull"]), line(&words))];
                    }
                }
                vec![line(&words)]
            }
            Self::Wheel { by, from: Some(from) } if !matches!(by, WheelBy::UvProject(_)) => {
                let again = match by {
                    WheelBy::Pipx => "pipx install --force WHEEL".to_owned(),
                    WheelBy::UvTool => "uv tool install --force WHEEL".to_owned(),
                    WheelBy::Run("uvx") => "uvx --from WHEEL mayi".to_owned(),
                    WheelBy::Run(by) => format!("{by} --spec WHEEL mayi"),
                    WheelBy::UvPip(venv) => {
                        format!("{} WHEEL", line(&["uv", "pip", "install", "--python", &text(venv)]))
                    }
                    WheelBy::Pip(venv) => {
                        format!("{} WHEEL", line(&[&python(venv), "-m", "pip", "install", "--upgrade"]))
                    }
                    _ => "pip install --upgrade WHEEL".to_owned(),
                };
                vec![again, format!("WHEEL is the newer one's file or address; this one came from {from}")]
            }
            Self::Wheel { by, .. } => match by {
                WheelBy::Pipx => vec!["pipx upgrade mayi".to_owned()],
                WheelBy::UvTool => vec!["uv tool upgrade mayi".to_owned()],
                WheelBy::Run("uvx") => vec!["uvx mayi@latest".to_owned()],
                WheelBy::Run(by) => vec![format!("{by} --no-cache mayi")],
                WheelBy::UvProject(project) => {
                    vec![format!(
                        "{} && {}",
                        line(&["cd", &text(project)]),
                        "uv sync --upgrade-package mayi"
                    )]
                }
                WheelBy::UvPip(venv) => {
                    vec![line(&["uv", "pip", "install", "--upgrade", "--python", &text(venv), "mayi"])]
                }
                WheelBy::Pip(venv) => {
                    vec![line(&[&python(venv), "-m", "pip", "install", "--upgrade", "mayi"])]
                }
                WheelBy::PipAlone { user: true } => vec!["pip install --user --upgrade mayi".to_owned()],
                WheelBy::PipAlone { user: false } => vec!["sudo pip install --upgrade mayi".to_owned()],
                WheelBy::Other(by) => vec![format!("have {by} upgrade the package mayi")],
            },
            Self::Npm { by, package } => match by {
                NpmBy::Global("npm") => vec![format!("npm install --global {package}@latest")],
                NpmBy::Global("yarn") => vec![format!("yarn global upgrade --latest {package}")],
                NpmBy::Global(by) => vec![format!("{by} add --global {package}@latest")],
                NpmBy::Run(by) => vec![format!("{by} {package}@latest")],
                NpmBy::Project(folder) => vec![format!(
                    "{} && npm install {package}@latest",
                    line(&["cd", &text(folder)])
                )],
            },
            Self::Debian { package } => vec![
                format!("sudo apt-get update && sudo apt-get install --only-upgrade {package}"),
                format!("if it came as a file: sudo apt-get install ./{package}_NEWER.deb"),
            ],
            Self::Homebrew { formula } => vec![format!("brew upgrade {formula}")],
            Self::Nix { profile: true } => vec!["nix profile upgrade mayi".to_owned()],
            Self::Nix { profile: false } => vec![
                "have the flake or the configuration that it is in take a newer one: nix flake update, then build it anew"
                    .to_owned(),
            ],
            Self::Extension { .. } => {
                vec!["update the extension: it brings its own mayi along (Extensions, mayi, Update)".to_owned()]
            }
            Self::Development { project } => {
                let project = text(project);
                vec![format!("{} && cargo build --release", line(&["cd", &project])), "after git pull there".to_owned()]
            }
            Self::Archive { folder } => {
                vec![format!("unpack a newer archive in the place of {}", quote(&text(folder)))]
            }
            Self::Unknown => vec!["do what was done to install it once more, with a newer one".to_owned()],
        }
    }

    /// How `program` is removed.
    pub(crate) fn remove(&self, program: &Path) -> Vec<String> {
        match self {
            Self::Cargo { root: Some(root), .. } => {
                vec![line(&["cargo", "uninstall", "--root", &text(root), "mayi"])]
            }
            Self::Cargo { root: None, .. } => vec!["cargo uninstall mayi".to_owned()],
            Self::Wheel { by, .. } => match by {
                WheelBy::Pipx => vec!["pipx uninstall mayi".to_owned()],
                WheelBy::UvTool => vec!["uv tool uninstall mayi".to_owned()],
                WheelBy::Run("uvx") => vec!["uv cache clean mayi".to_owned()],
                WheelBy::Run(by) => vec![format!("nothing to do: {by} deletes it by itself")],
                WheelBy::UvProject(project) => {
                    vec![format!("{} && uv remove mayi", line(&["cd", &text(project)]))]
                }
                WheelBy::UvPip(venv) => {
                    vec![line(&["uv", "pip", "uninstall", "--python", &text(venv), "mayi"])]
                }
                WheelBy::Pip(venv) => vec![line(&[&python(venv), "-m", "pip", "uninstall", "mayi"])],
                WheelBy::PipAlone { user: true } => vec!["pip uninstall mayi".to_owned()],
                WheelBy::PipAlone { user: false } => vec!["sudo pip uninstall mayi".to_owned()],
                WheelBy::Other(by) => vec![format!("have {by} remove the package mayi")],
            },
            Self::Npm { by, package } => match by {
                NpmBy::Global("npm") => vec![format!("npm uninstall --global {package}")],
                NpmBy::Global("yarn") => vec![format!("yarn global remove {package}")],
                NpmBy::Global(by) => vec![format!("{by} remove --global {package}")],
                NpmBy::Run(by) => vec![format!("nothing to do: it is in the cache of {by}")],
                NpmBy::Project(folder) => {
                    vec![format!("{} && npm uninstall {package}", line(&["cd", &text(folder)]))]
                }
            },
            Self::Debian { package } => vec![format!("sudo apt-get remove {package}")],
            Self::Homebrew { formula } => vec![format!("brew uninstall {formula}")],
            Self::Nix { profile: true } => vec!["nix profile remove mayi".to_owned()],
            Self::Nix { profile: false } => {
                vec!["take it out of the flake or the configuration that it is in".to_owned()]
            }
            Self::Extension { .. } => vec!["it goes with the extension".to_owned()],
            Self::Development { project } => {
                vec![format!("{} && cargo clean, or delete that folder", line(&["cd", &text(project)]))]
            }
            Self::Archive { folder } => vec![line(&["rm", "-r", "--", &text(folder)])],
            Self::Unknown => vec![format!(
                "{}; or, if a package manager put it there, by that one",
                line(&["rm", "--", &text(program)])
            )],
        }
    }
}

/// The environment's own Python.
fn python(venv: &Path) -> String {
    text(&venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" }))
}
