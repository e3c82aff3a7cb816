use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{
    CargoSource, InstallEvidence, InstallMethod, NpmInstaller, WheelInstaller, detect_install_method,
};

/// A machine with these files; a folder has the names below it.
fn machine(files: &[(&str, &str)]) -> InstallEvidence {
    let files: BTreeMap<PathBuf, String> =
        files.iter().map(|(name, text)| (PathBuf::from(name), (*text).to_owned())).collect();
    let names = files.clone();
    InstallEvidence {
        home: Some(PathBuf::from("/home/me")),
        cargo: Some(PathBuf::from("/home/me/.cargo")),
        text: Box::new(move |path: &Path| files.get(path).cloned()),
        names: Box::new(move |folder: &Path| {
            let below = names.keys().filter_map(|file| file.strip_prefix(folder).ok());
            below.filter_map(|rest| Some(rest.iter().next()?.to_str()?.to_owned())).collect()
        }),
    }
}

/// The program, the files, the way, and the first line of how it is updated and removed.
type Case = (&'static str, Vec<(String, String)>, InstallMethod, &'static str, &'static str);

fn path(text: &str) -> PathBuf {
    PathBuf::from(text)
}

const CRATES: &str = r#"{"installs":{"other 1.0.0 (registry+https://x)":{"bins":["other"]},"mayi 0.1.0 (SOURCE)":{"bins":["mayi"]}}}"#;

const INFO: &str = "lib/python3.12/site-packages/mayi-0.1.0.dist-info";

/// Each way, what lies beside the program, and what is typed to update and to remove it.
#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn given_where_a_program_is_and_what_lies_beside_it_then_the_way_is_known() {
    let wheel = |prefix: &str, installer: &str, more: &[(&str, &str)]| {
        let mut files = vec![
            (format!("{prefix}/{INFO}/INSTALLER"), installer.to_owned()),
            (format!("{prefix}/{INFO}/RECORD"), "../../../bin/mayi,sha256=x,1\n".to_owned()),
        ];
        files.extend(more.iter().map(|(name, text)| (format!("{prefix}/{name}"), (*text).to_owned())));
        files
    };
    let own = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    let crates = |root: &str, source: &str| {
        own(&[(&format!("{root}/.crates2.json"), &CRATES.replace("SOURCE", source))])
    };
    let wheels = |by: WheelInstaller| InstallMethod::Wheel { by, from: None };
    let npm = |by: NpmInstaller| InstallMethod::Npm { by, package: "mayi".to_owned() };
    let cases: Vec<Case> = vec![
        (
            "/home/me/.cargo/bin/mayi",
            crates("/home/me/.cargo", "registry+https://github.com/rust-lang/crates.io-index"),
            InstallMethod::Cargo { root: None, from: CargoSource::Registry },
            "cargo install --locked mayi",
            "cargo uninstall mayi",
        ),
        (
            "/opt/my tools/bin/mayi",
            crates("/opt/my tools", "git+https://host.example/mayi?branch=main#0123"),
            InstallMethod::Cargo {
                root: Some(path("/opt/my tools")),
                from: CargoSource::Git("https://host.example/mayi".into()),
            },
            "cargo install --locked --root '/opt/my tools' --git https://host.example/mayi mayi",
            "cargo uninstall --root '/opt/my tools' mayi",
        ),
        (
            "/home/me/.cargo/bin/mayi",
            crates("/home/me/.cargo", "path+file:///home/me/mayi/cli"),
            InstallMethod::Cargo { root: None, from: CargoSource::Path("/home/me/mayi/cli".into()) },
            "git -C /home/me/mayi/cli pull && cargo install --locked --path /home/me/mayi/cli",
            "cargo uninstall mayi",
        ),
        (
            "/w/.venv/bin/mayi",
            wheel("/w/.venv", "pip\n", &[("pyvenv.cfg", "")]),
            wheels(WheelInstaller::Pip(path("/w/.venv"))),
            "/w/.venv/bin/python -m pip install --upgrade mayi",
            "/w/.venv/bin/python -m pip uninstall mayi",
        ),
        (
            "/w/.venv/bin/mayi",
            wheel(
                "/w/.venv",
                "pip",
                &[
                    ("pyvenv.cfg", ""),
                    (&format!("{INFO}/direct_url.json"), r#"{"url":"file:///d/mayi.whl"}"#),
                ],
            ),
            InstallMethod::Wheel {
                by: WheelInstaller::Pip(path("/w/.venv")),
                from: Some("file:///d/mayi.whl".into()),
            },
            "/w/.venv/bin/python -m pip install --upgrade WHEEL",
            "/w/.venv/bin/python -m pip uninstall mayi",
        ),
        (
            "/w/.venv/bin/mayi",
            wheel("/w/.venv", "uv", &[("pyvenv.cfg", "")]),
            wheels(WheelInstaller::UvPip(path("/w/.venv"))),
            "uv pip install --upgrade --python /w/.venv mayi",
            "uv pip uninstall --python /w/.venv mayi",
        ),
        (
            "/w/.venv/bin/mayi",
            {
                let mut files = wheel("/w/.venv", "uv", &[("pyvenv.cfg", "")]);
                files.push(("/w/uv.lock".into(), String::new()));
                files
            },
            wheels(WheelInstaller::UvProject(path("/w"))),
            "cd /w && uv sync --upgrade-package mayi",
            "cd /w && uv remove mayi",
        ),
        (
            "/home/me/.local/share/pipx/venvs/mayi/bin/mayi",
            wheel(
                "/home/me/.local/share/pipx/venvs/mayi",
                "pip",
                &[("pyvenv.cfg", ""), ("pipx_metadata.json", "")],
            ),
            wheels(WheelInstaller::Pipx),
            "pipx upgrade mayi",
            "pipx uninstall mayi",
        ),
        (
            "/home/me/.local/share/uv/tools/mayi/bin/mayi",
            wheel(
                "/home/me/.local/share/uv/tools/mayi",
                "uv",
                &[("pyvenv.cfg", ""), ("uv-receipt.toml", "")],
            ),
            wheels(WheelInstaller::UvTool),
            "uv tool upgrade mayi",
            "uv tool uninstall mayi",
        ),
        (
            "/home/me/.cache/uv/archive-v0/abc/bin/mayi",
            wheel("/home/me/.cache/uv/archive-v0/abc", "uv", &[("pyvenv.cfg", "")]),
            wheels(WheelInstaller::Run("uvx")),
            "uvx mayi@latest",
            "uv cache clean mayi",
        ),
        (
            "/home/me/.cache/uv/archive-v0/abc/bin/mayi",
            wheel(
                "/home/me/.cache/uv/archive-v0/abc",
                "uv",
                &[(&format!("{INFO}/direct_url.json"), r#"{"url":"file:///d/mayi.whl"}"#)],
            ),
            InstallMethod::Wheel { by: WheelInstaller::Run("uvx"), from: Some("file:///d/mayi.whl".into()) },
            "uvx --from WHEEL mayi",
            "uv cache clean mayi",
        ),
        (
            "/home/me/.local/bin/mayi",
            wheel("/home/me/.local", "pip", &[]),
            wheels(WheelInstaller::PipAlone { user: true }),
            "pip install --user --upgrade mayi",
            "pip uninstall mayi",
        ),
        (
            "/opt/conda/bin/mayi",
            wheel("/opt/conda", "conda", &[]),
            wheels(WheelInstaller::Other("conda".into())),
            "have conda upgrade the package mayi",
            "have conda remove the package mayi",
        ),
        (
            "/usr/local/lib/node_modules/mayi/node_modules/@mayi/linux-x64/bin/mayi",
            Vec::new(),
            npm(NpmInstaller::Global("npm")),
            "npm install --global mayi@latest",
            "npm uninstall --global mayi",
        ),
        (
            "/home/me/.npm/_npx/0123/node_modules/@mayi/linux-x64/bin/mayi",
            own(&[("/home/me/.npm/_npx/0123/package.json", "{}")]),
            npm(NpmInstaller::Run("npx")),
            "npx mayi@latest",
            "nothing to do: it is in the cache of npx",
        ),
        (
            "/w/node_modules/mayi-linux-x64/mayi",
            own(&[("/w/package.json", "{}")]),
            npm(NpmInstaller::Project(path("/w"))),
            "cd /w && npm install mayi@latest",
            "cd /w && npm uninstall mayi",
        ),
        (
            "/w/lib/node_modules/mayi-linux-x64/mayi",
            own(&[("/w/lib/package.json", "{}")]),
            npm(NpmInstaller::Project(path("/w/lib"))),
            "cd /w/lib && npm install mayi@latest",
            "cd /w/lib && npm uninstall mayi",
        ),
        (
            "/home/me/.local/share/pnpm/global/5/.pnpm/@mayi+linux-x64@0.1.0/node_modules/@mayi/linux-x64/bin/mayi",
            Vec::new(),
            npm(NpmInstaller::Global("pnpm")),
            "pnpm add --global mayi@latest",
            "pnpm remove --global mayi",
        ),
        (
            "/home/me/.bun/install/global/node_modules/@mayi/linux-x64/bin/mayi",
            Vec::new(),
            npm(NpmInstaller::Global("bun")),
            "bun add --global mayi@latest",
            "bun remove --global mayi",
        ),
        (
            "/usr/bin/mayi",
            own(&[("/var/lib/dpkg/info/mayi.list", "/.\n/usr\n/usr/bin\n/usr/bin/mayi\n")]),
            InstallMethod::Debian { package: "mayi".into() },
            "sudo apt-get update && sudo apt-get install --only-upgrade mayi",
            "sudo apt-get remove mayi",
        ),
        (
            "/usr/bin/mayi",
            own(&[("/var/lib/dpkg/info/mayi:amd64.list", "/bin/mayi\n")]),
            InstallMethod::Debian { package: "mayi".into() },
            "sudo apt-get update && sudo apt-get install --only-upgrade mayi",
            "sudo apt-get remove mayi",
        ),
        (
            "/opt/homebrew/Cellar/mayi/0.1.0/bin/mayi",
            Vec::new(),
            InstallMethod::Homebrew { formula: "mayi".into() },
            "brew upgrade mayi",
            "brew uninstall mayi",
        ),
        (
            "/nix/store/0abc-mayi-0.1.0/bin/mayi",
            own(&[("/home/me/.nix-profile/manifest.json", r#"["/nix/store/0abc-mayi-0.1.0"]"#)]),
            InstallMethod::Nix { profile: true },
            "nix profile upgrade mayi",
            "nix profile remove mayi",
        ),
        (
            "/nix/store/0abc-mayi-0.1.0/bin/mayi",
            Vec::new(),
            InstallMethod::Nix { profile: false },
            "have the flake or the configuration that it is in take a newer one: nix flake update, then build it anew",
            "take it out of the flake or the configuration that it is in",
        ),
        (
            "/home/me/.vscode/extensions/mayi.mayi-vscode-0.1.0-linux-x64/bin/mayi",
            own(&[("/home/me/.vscode/extensions/mayi.mayi-vscode-0.1.0-linux-x64/package.json", "{}")]),
            InstallMethod::Extension {
                folder: path("/home/me/.vscode/extensions/mayi.mayi-vscode-0.1.0-linux-x64"),
            },
            "update the extension: it brings its own mayi along (Extensions, mayi, Update)",
            "it goes with the extension",
        ),
        (
            "/home/me/mayi/target/x86_64-unknown-linux-musl/dist/mayi",
            own(&[("/home/me/mayi/target/.rustc_info.json", "{}")]),
            InstallMethod::Development { project: path("/home/me/mayi") },
            "cd /home/me/mayi && cargo build --release",
            "cd /home/me/mayi && cargo clean, or delete that folder",
        ),
        (
            "/home/me/mayi-0.1.0-x86_64-unknown-linux-musl/mayi",
            Vec::new(),
            InstallMethod::Archive { folder: path("/home/me/mayi-0.1.0-x86_64-unknown-linux-musl") },
            "unpack a newer archive in the place of /home/me/mayi-0.1.0-x86_64-unknown-linux-musl",
            "rm -r -- /home/me/mayi-0.1.0-x86_64-unknown-linux-musl",
        ),
        (
            "/usr/local/bin/mayi",
            Vec::new(),
            InstallMethod::Unknown,
            "do what was done to install it once more, with a newer one",
            "rm -- /usr/local/bin/mayi; or, if a package manager put it there, by that one",
        ),
    ];
    for (program, files, wanted, update, remove) in cases {
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let found = detect_install_method(Path::new(program), &machine(&files));
        assert_eq!(found, wanted, "{program}");
        assert_eq!(found.update_steps().first().map(String::as_str), Some(update), "{program}");
        assert_eq!(
            found.removal_steps(Path::new(program)).first().map(String::as_str),
            Some(remove),
            "{program}"
        );
    }
}

/// What lies there and is about another program, or is damaged, says nothing.
#[test]
fn given_evidence_of_something_else_then_it_is_not_believed() {
    let other = format!("/home/me/.local/{INFO}/RECORD");
    for (program, files) in [
        ("/home/me/.cargo/bin/mayi", vec![("/home/me/.cargo/.crates2.json", "{")]),
        (
            "/home/me/.cargo/bin/mayi",
            vec![("/home/me/.cargo/.crates2.json", r#"{"installs":{"x 1 (registry+y)":{"bins":["x"]}}}"#)],
        ),
        (
            "/usr/bin/mayi",
            vec![
                ("/var/lib/dpkg/info/mayi.list", "/usr/bin/mayi2\n"),
                ("/var/lib/dpkg/info/mayis.list", "/usr/bin/mayi\n"),
            ],
        ),
        ("/home/me/.local/bin/mayi", vec![(other.as_str(), "mayi/__init__.py,,\n")]),
        ("/w/node_modules/other/mayi", vec![]),
        ("/x/extensions/mayi.mayi-vscode-1/mayi", vec![]),
        ("/x/target/debug/mayi", vec![]),
        ("/", vec![]),
    ] {
        assert_eq!(
            detect_install_method(Path::new(program), &machine(&files)),
            InstallMethod::Unknown,
            "{program}"
        );
    }
}
