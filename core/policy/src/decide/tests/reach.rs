//! How far a command reaches: through links, into the past, below a folder that it changes (D2.27 and D2.26).

mod addresses;
mod archives;
mod backups;
mod beside;
mod brought;
mod elsewhere;
mod fetched;
mod filled;
mod generated;
mod git_files;
mod guided;
mod hidden_names;
mod hosts;
mod index;
mod links;
mod made;
mod moved;
mod named;
mod narrowed;
mod other_names;
mod past;
mod patches;
mod quoted_globs;
mod read_otherwise;
mod readers;
mod renamed;
mod rewritten;
mod sent;
mod taken;
mod texts;
mod unmade;
mod unnamed;
mod uploads;

use super::*;

/// A home folder with keys, and a workspace beside it.
struct Scene {
    _dir: tempfile::TempDir,
    home: PathBuf,
    root: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let scene = Self { home: top.join("home"), root: top.join("home/w"), _dir: dir };
        for folder in ["home/.ssh/old", "home/w/src/gen", "home/w/sub", "home/w/out", "home/w/lk/deep"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in
            ["home/.ssh/id_rsa", "home/.ssh/old/key", "home/w/.env", "home/w/src/a.rs", "home/w/sub/x"]
        {
            std::fs::write(top.join(file), "KEY").unwrap();
        }
        scene
    }

    fn link(&self, target: impl AsRef<Path>, link: &str) {
        std::os::unix::fs::symlink(target, self.root.join(link)).unwrap();
    }

    /// As git makes it.
    fn repository(&self) {
        for folder in ["objects", "refs"] {
            std::fs::create_dir_all(self.root.join(".git").join(folder)).unwrap();
        }
        std::fs::write(self.root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(self.root.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
    }

    fn shell(&self, line: &str) -> Call {
        let roots = [self.root.clone()];
        let at = Surroundings { home: Some(&self.home), ..Surroundings::new(&self.root, &roots) };
        let accesses = shell::line_accesses(line, &at);
        let mut call = call(Access::Mode { id: "replaced".into() });
        (call.accesses, call.cwd, call.roots) = (accesses, self.root.clone(), roots.to_vec());
        call
    }

    /// Everything is allowed, but for this.
    fn denying(&self, patterns: &[&str]) -> Policy {
        self.policy(&["shell(*)", "write(**)", "read(**)"], patterns)
    }

    fn policy(&self, allowed: &[&str], denied: &[&str]) -> Policy {
        let places = PatternBases {
            home: Some(self.home.clone()),
            roots: vec![self.root.clone()],
            ..PatternBases::default()
        };
        let rule = |effect, text: &str| Rule {
            pattern: Pattern::parse(text, &places).unwrap(),
            ..rule(effect, "shell(*)")
        };
        let allows = allowed.iter().map(|text| rule(Allow, text));
        let denies = denied.iter().map(|text| rule(Deny, text));
        Policy {
            rules: allows.chain(denies).collect(),
            protection: Protection::built_in(&places, &[]).unwrap(),
            ..Policy::default()
        }
    }
}

/// In the mode and with the bypass that ask least.
fn loosest(policy: &Policy, call: &Call) -> Decision {
    let standing =
        SessionStanding { mode: Mode::Auto, bypass: true, grants: &Grants::default(), servers: passed() };
    decide(policy, call, &standing)
}

/// Those of the lines that are not judged as they should be.
fn wrong(
    scene: &Scene,
    policy: &Policy,
    lines: impl IntoIterator<Item = String>,
    right: impl Fn(&Decision) -> bool,
) -> Vec<String> {
    let judged = |line: String| {
        let decision = loosest(policy, &scene.shell(&line));
        let why =
            || decision.deciding_finding().map(|finding| format!("{} {}", finding.access, finding.reason));
        (!right(&decision)).then(|| format!("{line}: {} {:?}", decision.effect, why()))
    };
    lines.into_iter().filter_map(judged).collect()
}

fn held(found: &[String], count: usize, least: usize) {
    assert!(found.is_empty(), "{} of {count}:\n{}", found.len(), found.join("\n"));
    assert!(count >= least, "{count}");
}
