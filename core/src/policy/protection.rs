//! What mayi protects by itself, whatever the rules are silent about (decisions, 4.2).
//!
//! The table below is data: an effect, whether it always asks, a pattern and a reason.

use std::path::{Path, PathBuf};

use super::pattern::Places;
use super::{Effect, Pattern, PatternError};
use crate::call::{Access, PathAccess};

/// One thing that is protected.
#[derive(Clone, Debug)]
pub struct Protected {
    /// Ask or deny.
    pub effect: Effect,
    /// For an ask: whether it holds whatever the mode.
    pub always: bool,
    /// What it is about.
    pub pattern: Pattern,
    /// Why.
    pub reason: String,
    /// A managed file added it: only a managed file can except from it.
    pub managed: bool,
}

/// What is protected, compiled.
#[derive(Clone, Debug, Default)]
pub struct Protection {
    entries: Vec<Protected>,
    /// What is excepted, and whether a managed file says so.
    except: Vec<(Pattern, bool)>,
    readable: Vec<PathBuf>,
}

const CATASTROPHIC: &[&str] = &[
    // `rm` with the root or the home folder among its words, however these are written. (Classes are
    // spelt out: those of Unicode take long to compile.)
    r#"shell(/(?-u:\b)rm([ \t]+[^ \t\n;&|]+)*[ \t]+['"]?(\/[\/.]*|~\/?|\$\{?HOME\}?\/?)\*?['"]?([^A-Za-z0-9_.~+@%,:=\/-]|$)/)"#,
    r"shell(/(?-u:\b)rm(?-u:\b).*--no-preserve-root/)",
    r"shell(/(?-u:\b)mkfs(\.[a-z0-9]+)?(?-u:\b)/)",
    r"shell(/(?-u:\b)dd(?-u:\b).*(?-u:\b)of=['\x22]?\/dev\/(sd|hd|nvme|vd|xvd|mmcblk|disk)/)",
    r"shell(/:\(\)[ \t]*\{/)",
];

const ANSWERS_FOR_THE_PERSON: &[&str] = &[
    // Also behind its options, a path or a wrapper.
    r#"shell(/(^|[ \t\n'"\/;&|(])mayi['"]?([ \t]+(--?(config|cwd|color)[ =][^ \t]+|-[^ \t]+))*[ \t]+['"]?(inbox|bypass|trust|grants|config|init|hook|mcp)(?-u:\b)/)"#,
    "shell(mayi inbox *)",
    "shell(mayi bypass *)",
    "shell(mayi trust *)",
    "shell(mayi grants *)",
    "shell(mayi config *)",
    "shell(mayi init *)",
    "shell(mayi hook install *)",
    "shell(mayi mcp *)",
];

const RUN_LATER: &[&str] = &[
    "write(~/.bashrc)",
    "write(~/.bash_profile)",
    "write(~/.bash_login)",
    "write(~/.bash_logout)",
    "write(~/.profile)",
    "write(~/.zshrc)",
    "write(~/.zshenv)",
    "write(~/.zprofile)",
    "write(~/.zlogin)",
    "write(~/.config/fish/**)",
    "write(~/.config/autostart/**)",
    "write(~/.config/systemd/**)",
    "write(~/.gitconfig)",
    "write(~/.config/git/**)",
    "write(~/.ssh/**)",
    "write(**/.git/config)",
    "write(**/.git/hooks/**)",
    "write(**/.git/info/attributes)",
    "write(**/.githooks/**)",
    "write(**/.husky/**)",
    "write(**/.envrc)",
    "write(**/.pre-commit-config.yaml)",
];

const EDITORS_AND_AGENTS: &[&str] = &[
    "write(**/.vscode/**)",
    "write(**/.idea/**)",
    "write(**/.zed/**)",
    "write(**/.cursor/**)",
    "write(**/.claude/**)",
    "write(**/.codex/**)",
    "write(**/.gemini/**)",
    "write(**/.opencode/**)",
    "write(**/.mcp.json)",
    "write(**/.mayi.toml)",
    "write(~/.claude.json)",
    "write(~/.config/goose/**)",
    "write(~/.config/opencode/**)",
];

const CREDENTIALS: &[&str] = &[
    "~/.ssh",
    "~/.gnupg",
    "~/.aws",
    "~/.azure",
    "~/.config/gcloud",
    "~/.kube",
    "~/.docker/config.json",
    "~/.netrc",
    "~/.git-credentials",
    "~/.npmrc",
    "~/.pypirc",
    "~/.cargo/credentials",
    "~/.cargo/credentials.toml",
    "~/.config/gh/hosts.yml",
    "~/.config/hub",
    "~/.password-store",
    "~/.local/share/keyrings",
    "~/.mozilla",
    "~/.config/chromium",
    "~/.config/google-chrome",
    "~/.claude/.credentials.json",
    "~/.codex/auth.json",
    "~/.gemini/oauth_creds.json",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/ssh/*_key",
    "/etc/ssl/private",
];

/// Folders that every program may read.
const READABLE: &[&str] =
    &["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/etc/alternatives"];

/// The same, below the home folder.
const READABLE_HOME: &[&str] =
    &[".cargo/registry/src", ".cargo/git/checkouts", ".rustup/toolchains", "go/pkg/mod"];

impl Protection {
    /// What is built in. `own` are mayi's own folders: nothing that an agent does may change them.
    ///
    /// # Errors
    /// If a folder's name can't be written as a pattern.
    pub fn built_in(places: &Places, own: &[PathBuf]) -> Result<Self, PatternError> {
        let mut protection = Self::default();
        protection.add_all(
            CATASTROPHIC,
            Effect::Deny,
            "this would destroy the machine's or the user's files",
            places,
        )?;
        protection.add_all(
            ANSWERS_FOR_THE_PERSON,
            Effect::Deny,
            "this would change mayi itself or answer for the person",
            places,
        )?;
        protection.add_all(RUN_LATER, Effect::Ask, "what is written there is run later", places)?;
        protection.add_all(
            EDITORS_AND_AGENTS,
            Effect::Ask,
            "settings of editors and agents say what they run",
            places,
        )?;
        for path in CREDENTIALS {
            protection.add(
                &format!("read({path})"),
                Effect::Ask,
                "a private key or credential store",
                places,
            )?;
        }
        for folder in own {
            // The folder itself too: it could be moved away.
            for (selector, below) in [("write", true), ("write", false), ("read", true), ("read", false)] {
                let pattern = Pattern::exact_path(selector, folder, below)?;
                let reason = "mayi's own files".to_owned();
                protection.entries.push(Protected {
                    effect: Effect::Deny,
                    always: false,
                    pattern,
                    reason,
                    managed: false,
                });
            }
        }
        protection.readable = READABLE.iter().map(PathBuf::from).collect();
        if let Some(home) = &places.home {
            protection.readable.extend(READABLE_HOME.iter().map(|folder| home.join(folder)));
        }
        Ok(protection)
    }

    fn add_all(
        &mut self,
        patterns: &[&str],
        effect: Effect,
        reason: &str,
        places: &Places,
    ) -> Result<(), PatternError> {
        patterns.iter().try_for_each(|pattern| self.add(pattern, effect, reason, places))
    }

    fn add(
        &mut self,
        pattern: &str,
        effect: Effect,
        reason: &str,
        places: &Places,
    ) -> Result<(), PatternError> {
        // Without a home folder there is nothing below it to protect.
        if places.home.is_none() && pattern.contains("(~/") {
            return Ok(());
        }
        let pattern = Pattern::parse(pattern, places)?;
        self.entries.push(Protected {
            effect,
            always: effect == Effect::Ask,
            pattern,
            reason: reason.to_owned(),
            managed: false,
        });
        Ok(())
    }

    /// Protects more: from a file's `[protection] add`.
    pub fn extend(&mut self, pattern: Pattern, reason: String, managed: bool) {
        self.entries.push(Protected { effect: Effect::Ask, always: true, pattern, reason, managed });
    }

    /// Takes something out: from a user's or managed file's `[protection] except`. A user's takes out
    /// nothing that a managed file added.
    pub fn except(&mut self, pattern: Pattern, managed: bool) {
        self.except.push((pattern, managed));
    }

    /// Whether `access` is excepted from what anybody, or a managed file, added.
    fn excepts(&self, access: &Access, roots: &[PathBuf], from_managed: bool) -> bool {
        self.except
            .iter()
            .any(|(pattern, managed)| (*managed || !from_managed) && pattern.excepts(access, roots))
    }

    /// What is protected, for `config show`.
    #[must_use]
    pub fn entries(&self) -> &[Protected] {
        &self.entries
    }

    /// Everything that speaks against `access`: effect, always, pattern, reason.
    #[must_use]
    pub fn against(&self, access: &Access, roots: &[PathBuf]) -> Vec<(Effect, bool, Option<String>, String)> {
        let mut found: Vec<_> = self
            .entries
            .iter()
            .filter(|entry| entry.pattern.concerns(access, roots))
            // What destroys, or answers for the person, can't be excepted.
            .filter(|entry| entry.effect == Effect::Deny || !self.excepts(access, roots, entry.managed))
            .map(|entry| {
                // Nobody reads the regular expressions of the table above; the reason says it.
                let pattern = Some(entry.pattern.to_string()).filter(|text| !text.starts_with("shell(/"));
                (entry.effect, entry.always, pattern, entry.reason.clone())
            })
            .collect();
        if let Access::Read(path) | Access::Write(_, path) = access
            && !self.excepts(access, roots, false)
        {
            found.extend(
                self.places_against(path, matches!(access, Access::Write(..)), roots)
                    .map(|(always, reason)| (Effect::Ask, always, None, reason)),
            );
        }
        found
    }

    fn places_against(&self, path: &PathAccess, write: bool, roots: &[PathBuf]) -> Option<(bool, String)> {
        if let Some(why) = &path.unresolved {
            return Some((true, format!("the path could not be followed: {why}")));
        }
        if path.forms().any(is_alias) {
            return Some((true, "a name for something else (/proc, /dev/fd and the like)".to_owned()));
        }
        if write && path.hard_linked {
            return Some((
                true,
                "the file has another name (a hard link), which would change too".to_owned(),
            ));
        }
        if path.within(roots) {
            return None;
        }
        if write {
            return Some((true, "outside of the session's folders".to_owned()));
        }
        let readable = path.forms().all(|form| self.readable.iter().any(|folder| form.starts_with(folder)));
        (!readable).then(|| (false, "outside of the session's folders".to_owned()))
    }
}

fn is_alias(path: &Path) -> bool {
    ["/proc", "/sys", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"]
        .iter()
        .any(|at| path.starts_with(at))
}
