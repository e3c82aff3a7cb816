//! What mayi says of a line, under several policies, for a shell.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use mayi_check::{Checker, Request, RequestedAction};
use mayi_core::call::{Call, Dialect, WriteKind};
use mayi_core::config::{Folders, Sources, load, template};
use mayi_core::grant::Grants;
use mayi_core::policy::{Decision, Effect, Mode, Policy, SessionStanding, decide};

use super::shells::Shell;
use super::world::World;

/// Rules as somebody may have them who was annoyed by a few questions.
const TYPICAL: &str = r#"
version = 1
mode = "default"
[rules]
allow = [
    "shell(echo *)", "shell(printf *)", "shell(git commit *)", "shell(git add *)", "shell(cat *)", "shell(grep *)",
    "shell(ls *)", "shell(sort *)", "shell(find *)", "shell(cargo test *)", "shell(test *)", "shell([ *)", "shell(read *)",
    "shell(make *)", "shell(npm run *)",
]
deny = ["shell(touch *)", "shell(evil *)", "shell(./evil *)", "shell(curl *)", "read(.env)", "read(~/.ssh/**)"]
"#;

/// Everything runs, but what is denied.
const AUTO: &str = r#"
version = 1
mode = "auto"
[rules]
deny = [
    "shell(touch *)", "shell(evil *)", "shell(./evil *)", "shell(curl *)", "shell(rm *)", "read(.env)", "read(~/.ssh/**)",
    "write(src/**)",
]
"#;

/// Everything runs, but some commands. Where reading is denied too, much is asked about that could be a denied file.
const COMMANDS: &str = r#"
version = 1
mode = "auto"
[rules]
deny = ["shell(touch *)", "shell(evil *)", "shell(./evil *)", "shell(curl *)", "shell(rm *)"]
"#;

/// The policies' names, in the order of the bits of [`Verdict::by`].
pub(crate) const POLICIES: [&str; 5] = ["plan", "typical", "everyday", "auto", "commands"];

/// Whether mayi is told which shell runs a line, so that what it says depends on it.
const SHELL_IS_TOLD: bool = true;

/// What mayi says of a line.
#[derive(Clone)]
pub(crate) struct Verdict {
    pub(crate) call: Call,
    /// A bit for each policy that allows it.
    pub(crate) by: u8,
}

impl Verdict {
    /// The policies that allow it, by their places.
    pub(crate) fn policies(&self) -> impl Iterator<Item = usize> + use<> {
        let by = self.by;
        (0..POLICIES.len()).filter(move |at| by & (1 << at) != 0)
    }
}

pub(crate) struct Judge {
    /// Makes calls, under the first policy.
    checker: Checker,
    policies: Vec<(Policy, Mode)>,
    grants: Grants,
    /// The last line, for the next shell that it is run in.
    last: Option<(String, Option<Verdict>)>,
}

impl Judge {
    pub(crate) fn new(world: &World) -> Self {
        let found: Vec<_> =
            template::detect_languages(&world.project()).into_iter().map(|(language, _)| language).collect();
        let everyday = template::Template::Everyday.render(&found, &template::Project::default(), None, None);
        let texts = ["version = 1\nmode = \"plan\"\n", TYPICAL, &everyday, AUTO, COMMANDS];
        let policies = POLICIES.iter().zip(texts).map(|(name, text)| {
            let file = world.at(&format!("policies/{name}.toml"));
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
            let policy = load(&sources(world, &file)).unwrap().policy;
            let mode = policy.mode;
            (policy, mode)
        });
        let policies = policies.collect();
        let checker = Checker::new(sources(world, &world.at("policies/plan.toml")), true);
        Self { checker, policies, grants: Grants::default(), last: None }
    }

    fn call(&mut self, what: RequestedAction) -> Option<Call> {
        self.checker.check_request(&Request::new(what)).ok().map(|judged| judged.call)
    }

    /// What is said of a line that is run by `shell`. The one place that says so to mayi.
    pub(crate) fn line(&mut self, line: &str, shell: Shell) -> Option<Verdict> {
        if let Some((_, verdict)) = self.last.as_ref().filter(|(last, _)| !SHELL_IS_TOLD && last == line) {
            return verdict.clone();
        }
        let verdict = self.judged(line, shell);
        self.last = Some((line.to_owned(), verdict.clone()));
        verdict
    }

    fn judged(&mut self, line: &str, shell: Shell) -> Option<Verdict> {
        let dialect = match shell {
            Shell::Bash => Dialect::Bash,
            Shell::Dash => Dialect::Sh,
            Shell::Zsh => Dialect::Zsh,
        };
        let request = Request { shell: dialect, ..Request::new(RequestedAction::Line(line.to_owned())) };
        let call = self.checker.check_request(&request).ok()?.call;
        let by = (0..self.policies.len()).filter(|at| self.allows(*at, &call)).fold(0, |by, at| by | 1 << at);
        Some(Verdict { call, by })
    }

    fn decision(&self, policy: usize, call: &Call) -> Decision {
        let (policy, mode) = &self.policies[policy];
        let standing = SessionStanding { mode: *mode, bypass: false, grants: &self.grants, servers: &[] };
        decide(policy, call, &standing)
    }

    fn effect(&self, policy: usize, call: &Call) -> Effect {
        self.decision(policy, call).effect
    }

    fn allows(&self, policy: usize, call: &Call) -> bool {
        self.effect(policy, call) == Effect::Allow
    }

    fn allows_what(&mut self, policy: usize, what: RequestedAction) -> bool {
        self.call(what).is_some_and(|call| self.allows(policy, &call))
    }

    /// Whether everything runs under the policy that is not denied.
    pub(crate) fn is_auto(&self, policy: usize) -> bool {
        self.policies[policy].1 == Mode::Auto
    }

    /// Whether the policy allows a command by itself. Words behind a program that is not known could be a command too, so
    /// that the program alone is asked about as well.
    pub(crate) fn allows_command(&mut self, policy: usize, words: &[String]) -> bool {
        self.allows_what(policy, RequestedAction::Words(words.to_vec()))
            || self.is_auto(policy) && self.allows_what(policy, RequestedAction::Words(words[..1].to_vec()))
    }

    /// Whether the policy minds that a file is read. Where a rule allows a program with any words, one that may be read
    /// after a question is covered by it.
    pub(crate) fn minds_read(&mut self, policy: usize, path: &Path) -> bool {
        let Some(call) = self.call(RequestedAction::Read(path.display().to_string())) else { return true };
        let decision = self.decision(policy, &call);
        match decision.effect {
            Effect::Allow => false,
            Effect::Ask => POLICIES[policy] != "typical" || decision.always_asks(),
            Effect::Deny => true,
        }
    }

    /// Whether the policy allows a change of a file.
    pub(crate) fn allows_write(&mut self, policy: usize, kind: WriteKind, path: &Path) -> bool {
        self.allows_what(policy, RequestedAction::Write(kind, path.display().to_string()))
    }

    /// Whether a rule of the policy denies a change of a file.
    pub(crate) fn denies_write(&mut self, policy: usize, kind: WriteKind, path: &Path) -> bool {
        let call = self.call(RequestedAction::Write(kind, path.display().to_string()));
        call.is_some_and(|call| self.effect(policy, &call) == Effect::Deny)
    }
}

fn sources(world: &World, file: &Path) -> Sources {
    let own = |folder: &str| Some(world.home().join(folder).join("mayi"));
    Sources {
        user: Some(file.to_owned()),
        cwd: world.project(),
        folders: Folders {
            home: Some(world.home()),
            config: own(".config"),
            data: own(".local/share"),
            state: own(".local/state"),
        },
        ..Sources::default()
    }
}
