//! How a program is updated and removed, by how it was installed: what to type, or to do.

use std::path::Path;

use mayi_core::call::shell::{join_words, quote_word};

use super::{CargoSource, InstallMethod, NpmInstaller, WheelInstaller};

/// A line for a shell, of these words.
fn shell_line(words: &[&str]) -> String {
    join_words(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}

impl InstallMethod {
    /// A name for programs.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::Cargo { .. } => "cargo",
            Self::Wheel { by, .. } => match by {
                WheelInstaller::Pipx => "pipx",
                WheelInstaller::UvTool | WheelInstaller::UvProject(_) | WheelInstaller::UvPip(_) => "uv",
                WheelInstaller::Run(_) => "run",
                WheelInstaller::Pip(_) | WheelInstaller::PipAlone { .. } => "pip",
                WheelInstaller::Other(_) => "wheel",
            },
            Self::Npm { by: NpmInstaller::Run(_), .. } => "run",
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
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Cargo { from, .. } => match from {
                CargoSource::Registry => "installed by cargo, from its registry".to_owned(),
                CargoSource::Git(url) => format!("installed by cargo, from {url}"),
                CargoSource::Path(path) => format!("installed by cargo, from the folder {path}"),
            },
            Self::Wheel { by, from } => {
                let from = from.as_ref().map(|from| format!(", from {from}")).unwrap_or_default();
                match by {
                    WheelInstaller::Pipx => format!("a wheel, installed by pipx{from}"),
                    WheelInstaller::UvTool => format!("a wheel, installed by uv as a tool{from}"),
                    WheelInstaller::Run(by) => format!("a wheel that {by} keeps for its runs{from}"),
                    WheelInstaller::UvProject(project) => {
                        format!("a wheel, installed by uv in the project {}{from}", path_text(project))
                    }
                    WheelInstaller::UvPip(venv) => {
                        format!("a wheel, installed by uv in {}{from}", path_text(venv))
                    }
                    WheelInstaller::Pip(venv) => {
                        format!("a wheel, installed by pip in {}{from}", path_text(venv))
                    }
                    WheelInstaller::PipAlone { user: true } => {
                        format!("a wheel, installed by pip for you{from}")
                    }
                    WheelInstaller::PipAlone { user: false } => {
                        format!("a wheel, installed by pip for all{from}")
                    }
                    WheelInstaller::Other(by) => format!("a wheel, installed by {by}{from}"),
                }
            }
            Self::Npm { by, .. } => match by {
                NpmInstaller::Global(by) => format!("a package of npm, installed by {by} for all projects"),
                NpmInstaller::Run(by) => format!("a package of npm that {by} keeps for its runs"),
                NpmInstaller::Project(folder) => {
                    format!("a package of npm in the project {}", path_text(folder))
                }
            },
            Self::Debian { package } => format!("the Debian package {package}"),
            Self::Homebrew { formula } => format!("Homebrew's formula {formula}"),
            Self::Nix { profile: true } => "from Nix, in your profile".to_owned(),
            Self::Nix { profile: false } => "from Nix, and not in your profile".to_owned(),
            Self::Extension { folder } => format!("the editor's extension in {}", path_text(folder)),
            Self::Development { project } => format!("a build of the project {}", path_text(project)),
            Self::Archive { folder } => format!("an archive, unpacked in {}", path_text(folder)),
            Self::Unknown => "how it was installed can't be told from where it is".to_owned(),
        }
    }

    /// How a newer one is had.
    pub(crate) fn update_steps(&self) -> Vec<String> {
        match self {
            Self::Cargo { root, from } => {
                let mut words = vec!["cargo", "install", "--locked"];
                let root = root.as_deref().map(path_text);
                if let Some(root) = &root {
                    words.extend(["--root", root]);
                }
                match from {
                    CargoSource::Registry => words.push("mayi"),
                    CargoSource::Git(url) => words.extend(["--git", url, "mayi"]),
                    CargoSource::Path(path) => {
                        words.extend(["--path", path]);
                        return vec![format!("{} && {}", shell_line(&["git", "-C", path, "pull"]), shell_line(&words))];
                    }
                }
                vec![shell_line(&words)]
            }
            Self::Wheel { by, from: Some(from) } if !matches!(by, WheelInstaller::UvProject(_)) => {
                let again = match by {
                    WheelInstaller::Pipx => "pipx install --force WHEEL".to_owned(),
                    WheelInstaller::UvTool => "uv tool install --force WHEEL".to_owned(),
                    WheelInstaller::Run("uvx") => "uvx --from WHEEL mayi".to_owned(),
                    WheelInstaller::Run(by) => format!("{by} --spec WHEEL mayi"),
                    WheelInstaller::UvPip(venv) => {
                        format!("{} WHEEL", shell_line(&["uv", "pip", "install", "--python", &path_text(venv)]))
                    }
                    WheelInstaller::Pip(venv) => {
                        format!("{} WHEEL", shell_line(&[&venv_python(venv), "-m", "pip", "install", "--upgrade"]))
                    }
                    _ => "pip install --upgrade WHEEL".to_owned(),
                };
                vec![again, format!("WHEEL is the newer one's file or address; this one came from {from}")]
            }
            Self::Wheel { by, .. } => match by {
                WheelInstaller::Pipx => vec!["pipx upgrade mayi".to_owned()],
                WheelInstaller::UvTool => vec!["uv tool upgrade mayi".to_owned()],
                WheelInstaller::Run("uvx") => vec!["uvx mayi@latest".to_owned()],
                WheelInstaller::Run(by) => vec![format!("{by} --no-cache mayi")],
                WheelInstaller::UvProject(project) => {
                    vec![format!(
                        "{} && {}",
                        shell_line(&["cd", &path_text(project)]),
                        "uv sync --upgrade-package mayi"
                    )]
                }
                WheelInstaller::UvPip(venv) => {
                    vec![shell_line(&["uv", "pip", "install", "--upgrade", "--python", &path_text(venv), "mayi"])]
                }
                WheelInstaller::Pip(venv) => {
                    vec![shell_line(&[&venv_python(venv), "-m", "pip", "install", "--upgrade", "mayi"])]
                }
                WheelInstaller::PipAlone { user: true } => vec!["pip install --user --upgrade mayi".to_owned()],
                WheelInstaller::PipAlone { user: false } => vec!["sudo pip install --upgrade mayi".to_owned()],
                WheelInstaller::Other(by) => vec![format!("have {by} upgrade the package mayi")],
            },
            Self::Npm { by, package } => match by {
                NpmInstaller::Global("npm") => vec![format!("npm install --global {package}@latest")],
                NpmInstaller::Global("yarn") => vec![format!("yarn global upgrade --latest {package}")],
                NpmInstaller::Global(by) => vec![format!("{by} add --global {package}@latest")],
                NpmInstaller::Run(by) => vec![format!("{by} {package}@latest")],
                NpmInstaller::Project(folder) => vec![format!(
                    "{} && npm install {package}@latest",
                    shell_line(&["cd", &path_text(folder)])
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
                let project = path_text(project);
                vec![format!("{} && cargo build --release", shell_line(&["cd", &project])), "after git pull there".to_owned()]
            }
            Self::Archive { folder } => {
                vec![format!("unpack a newer archive in the place of {}", quote_word(&path_text(folder)))]
            }
            Self::Unknown => vec!["do what was done to install it once more, with a newer one".to_owned()],
        }
    }

    /// How `program` is removed.
    pub(crate) fn removal_steps(&self, program: &Path) -> Vec<String> {
        match self {
            Self::Cargo { root: Some(root), .. } => {
                vec![shell_line(&["cargo", "uninstall", "--root", &path_text(root), "mayi"])]
            }
            Self::Cargo { root: None, .. } => vec!["cargo uninstall mayi".to_owned()],
            Self::Wheel { by, .. } => match by {
                WheelInstaller::Pipx => vec!["pipx uninstall mayi".to_owned()],
                WheelInstaller::UvTool => vec!["uv tool uninstall mayi".to_owned()],
                WheelInstaller::Run("uvx") => vec!["uv cache clean mayi".to_owned()],
                WheelInstaller::Run(by) => vec![format!("nothing to do: {by} deletes it by itself")],
                WheelInstaller::UvProject(project) => {
                    vec![format!("{} && uv remove mayi", shell_line(&["cd", &path_text(project)]))]
                }
                WheelInstaller::UvPip(venv) => {
                    vec![shell_line(&["uv", "pip", "uninstall", "--python", &path_text(venv), "mayi"])]
                }
                WheelInstaller::Pip(venv) => {
                    vec![shell_line(&[&venv_python(venv), "-m", "pip", "uninstall", "mayi"])]
                }
                WheelInstaller::PipAlone { user: true } => vec!["pip uninstall mayi".to_owned()],
                WheelInstaller::PipAlone { user: false } => vec!["sudo pip uninstall mayi".to_owned()],
                WheelInstaller::Other(by) => vec![format!("have {by} remove the package mayi")],
            },
            Self::Npm { by, package } => match by {
                NpmInstaller::Global("npm") => vec![format!("npm uninstall --global {package}")],
                NpmInstaller::Global("yarn") => vec![format!("yarn global remove {package}")],
                NpmInstaller::Global(by) => vec![format!("{by} remove --global {package}")],
                NpmInstaller::Run(by) => vec![format!("nothing to do: it is in the cache of {by}")],
                NpmInstaller::Project(folder) => {
                    vec![format!("{} && npm uninstall {package}", shell_line(&["cd", &path_text(folder)]))]
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
                vec![format!(
                    "{} && cargo clean, or delete that folder",
                    shell_line(&["cd", &path_text(project)])
                )]
            }
            Self::Archive { folder } => vec![shell_line(&["rm", "-r", "--", &path_text(folder)])],
            Self::Unknown => vec![format!(
                "{}; or, if a package manager put it there, by that one",
                shell_line(&["rm", "--", &path_text(program)])
            )],
        }
    }
}

/// The environment's own Python.
fn venv_python(venv: &Path) -> String {
    path_text(&venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" }))
}
