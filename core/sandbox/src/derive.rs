//! A profile of policy and session: each place is judged as a file tool's access to it would be, by the same [`decide`].

use std::fs;
use std::path::{Component, Path, PathBuf};

use mayi_call::{Access, AgentId, Call, Door, PathAccess, SessionId, WriteKind};
use mayi_policy::{Effect, Finding, Mode, Policy, SessionStanding, Source, decide};

use crate::{Place, Profile};

/// Folders that programs fill with what others have made: they are neither looked through nor held beneath their own place.
const DEPENDENCIES: &[&str] =
    &["node_modules", "target", ".venv", "venv", "__pycache__", ".tox", ".gradle", ".cache", "vendor"];

/// What git alone reads, and what a repository has most of.
const OBJECTS: &str = "objects";

/// Maximum number of files and folders that are judged.
const MOST_ENTRIES: usize = 50_000;

/// How deep is looked below the beginning of a pattern that is about somewhere else.
const DEPTH_ELSEWHERE: usize = 3;

/// What a command runs for, and under which rules.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The rules.
    pub policy: &'a Policy,
    /// Mode and remembered answers.
    pub standing: SessionStanding<'a>,
    /// Who wants it.
    pub agent: &'a AgentId,
    /// The session's folders, without links.
    pub roots: &'a [PathBuf],
    /// The user's home.
    pub home: Option<&'a Path>,
}

/// A profile, and what could not be put into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// What may be done.
    pub profile: Profile,
    /// What of the rules is not in it, one line each.
    pub left_out: Vec<String>,
}

impl Ground<'_> {
    /// The profile that holds what the rules say of files: what they deny or ask about is hidden or kept as it is.
    #[must_use]
    pub fn profile(&self) -> Derived {
        let mut walk = Walk { ground: *self, found: Derived::default(), left: MOST_ENTRIES };
        // In the form that is mounted; a root may stand there in two.
        let mut roots: Vec<PathBuf> = self.roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        roots.sort();
        roots.dedup();
        for root in roots.iter().filter(|root| root.is_dir()) {
            if self.standing.mode != Mode::Plan && self.reason_against_writing(&root.join(ANY_NAME)).is_none()
            {
                let because = "the session's folder".to_owned();
                walk.found.profile.writable.push(Place { path: root.clone(), because });
            }
            walk.folder(root, usize::MAX);
        }
        for place in self.places_elsewhere(&mut walk.found.left_out) {
            walk.entry(&place, DEPTH_ELSEWHERE);
        }
        if walk.left == 0 {
            walk.found
                .left_out
                .push(format!("more than {MOST_ENTRIES} files, of which the rest was not looked at"));
        }
        let Derived { profile, .. } = &mut walk.found;
        for places in [&mut profile.hidden, &mut profile.read_only] {
            places.sort();
            places.dedup_by(|a, b| a.path == b.path);
        }
        walk.found
    }

    /// Where rules about reading begin that are about other places than the session's folders.
    fn places_elsewhere(&self, left_out: &mut Vec<String>) -> Vec<PathBuf> {
        let rules =
            self.policy.rules.iter().filter(|rule| rule.effect != Effect::Allow).map(|rule| &rule.pattern);
        let protected = self.policy.protection.entries();
        let patterns =
            rules.chain(protected.iter().map(|entry| &entry.pattern)).map(|pattern| pattern.as_str());
        let mut places = Vec::new();
        for text in patterns {
            let Some(path) = text.strip_prefix("read(").and_then(|rest| rest.strip_suffix(')')) else {
                continue;
            };
            match self.beginning(path) {
                Some(place) if self.roots.iter().any(|root| place.starts_with(root)) => {}
                Some(place) => places.push(place),
                None => left_out.push(format!("{text} outside of the session's folders")),
            }
        }
        places.sort();
        places.dedup();
        places
    }

    /// The part of a pattern before its first wildcard, if that names a place below home or the file system's top.
    fn beginning(&self, pattern: &str) -> Option<PathBuf> {
        let (known, rest) =
            pattern.split_at(pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len()));
        let known =
            if rest.is_empty() { known } else { known.rsplit_once('/').map_or("", |(folder, _)| folder) };
        let place = match known.strip_prefix("~/") {
            Some(below) => self.home?.join(below),
            None => PathBuf::from(known),
        };
        let named = place.components().filter(|part| matches!(part, Component::Normal(_))).count();
        (place.is_absolute() && named > 1 && self.home != Some(&*place)).then_some(place)
    }

    fn reason_against_reading(&self, path: &Path) -> Option<String> {
        self.reason_against(Access::Read, path)
    }

    fn reason_against_writing(&self, path: &Path) -> Option<String> {
        self.reason_against(|path| Access::Write(WriteKind::Write, path), path)
    }

    /// The strictest finding about an access that is somebody's own words about this place: a rule, a remembered denial, or what is
    /// protected. Modes and settings say of kinds of calls what they do.
    fn reason_against(&self, access: impl FnOnce(PathAccess) -> Access, path: &Path) -> Option<String> {
        let Some(text) = path.to_str() else { return Some("a name that is not UTF-8 text".to_owned()) };
        let cwd = self.roots.first().map_or(Path::new("/"), PathBuf::as_path);
        let call = Call {
            roots: self.roots.to_vec(),
            accesses: vec![access(PathAccess::new(cwd, text))],
            ..Call::new(Door::Check, self.agent.clone(), SessionId(String::new()), cwd.to_owned())
        };
        let decision = decide(self.policy, &call, &self.standing);
        let within = self.roots.iter().any(|root| path.starts_with(root));
        let speaks = |finding: &&Finding| {
            finding.effect != Effect::Allow
                && match finding.source {
                    Source::Rule | Source::Grant => true,
                    // Of all that is elsewhere it is said that it is elsewhere.
                    Source::Protection | Source::Caveat => within || finding.pattern.is_some(),
                    _ => false,
                }
        };
        let finding = decision.trail.iter().find(speaks)?;
        let pattern = finding.pattern.as_ref().map(|pattern| format!(" ({pattern})")).unwrap_or_default();
        Some(format!("{}: {}{pattern}", finding.effect, finding.reason))
    }
}

/// A walk through folders.
struct Walk<'a> {
    ground: Ground<'a>,
    found: Derived,
    left: usize,
}

impl Walk<'_> {
    /// Judges what is in a folder.
    fn folder(&mut self, folder: &Path, depth: usize) {
        // Somebody else's folder, or one that is gone: the command gets no further either.
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            self.entry(&path, depth);
        }
    }

    /// Judges a file or folder, and what is in it. Where links lead is judged at its own place.
    fn entry(&mut self, path: &Path, depth: usize) {
        let Ok(found) = fs::symlink_metadata(path) else { return };
        if self.left == 0 || found.is_symlink() {
            return;
        }
        self.left -= 1;
        // What holds for any name in a folder holds for the folder, and for what is made in it later. (Of a folder itself it would be
        // said what is somewhere in it.)
        let asked = if found.is_dir() { path.join(ANY_NAME) } else { path.to_owned() };
        if let Some(because) = self.ground.reason_against_reading(&asked) {
            self.found.profile.hidden.push(Place { path: path.to_owned(), because });
            return;
        }
        let lies_in = |places: &[Place]| places.iter().any(|place| path.starts_with(&place.path));
        let writable = lies_in(&self.found.profile.writable) && !lies_in(&self.found.profile.read_only);
        if writable && let Some(because) = self.ground.reason_against_writing(&asked) {
            self.found.profile.read_only.push(Place { path: path.to_owned(), because });
        }
        let name = path.file_name().unwrap_or_default();
        let passed_over = DEPENDENCIES.iter().any(|folder| name == *folder)
            || (name == OBJECTS && path.parent().is_some_and(|parent| parent.ends_with(".git")));
        if found.is_dir() && depth > 0 && !passed_over {
            self.folder(path, depth - 1);
        }
    }
}

/// A name that no rule has in mind.
const ANY_NAME: &str = ".mayi-any-name";

#[cfg(test)]
mod tests {
    use super::*;
    use mayi_policy::grant::Grants;
    use mayi_policy::pattern::PatternBases;
    use mayi_policy::{Layer, Origin, Pattern, Protection, Rule};

    /// A folder with a project, a home, and what is in them.
    struct World {
        folder: tempfile::TempDir,
        policy: Policy,
    }

    impl World {
        fn new(rules: &[(Effect, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().canonicalize().unwrap();
            for file in [
                "w/.env",
                "w/src/a.rs",
                "w/secrets/one",
                "w/.git/hooks/x",
                "w/node_modules/p/.env",
                "home/.ssh/id",
                "home/k/key",
            ] {
                let file = top.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            let bases = PatternBases::of_one_moment(Some(top.join("home")), vec![top.join("w")]);
            let rule = |(effect, text): &(Effect, &str)| Rule {
                effect: *effect,
                pattern: Pattern::parse(text, &bases).unwrap(),
                unless: None,
                reason: None,
                agents: Vec::new(),
                holds: true,
                named: false,
                origin: Origin { file: None, line: None, layer: Layer::User },
            };
            let policy = Policy {
                rules: rules.iter().map(rule).collect::<Vec<_>>().into(),
                protection: Protection::built_in(&bases, &[]).unwrap(),
                ..Policy::default()
            };
            Self { folder, policy }
        }

        fn profile(&self, mode: Mode) -> Derived {
            let top = self.folder.path().canonicalize().unwrap();
            let (roots, home, grants) = ([top.join("w")], top.join("home"), Grants::default());
            let standing = SessionStanding { mode, bypass: false, grants: &grants, servers: &[] };
            let agent = AgentId::from_name("a");
            Ground { policy: &self.policy, standing, agent: &agent, roots: &roots, home: Some(&home) }
                .profile()
        }

        /// Paths below the folder, as text.
        fn below(&self, places: &[Place]) -> Vec<String> {
            let top = self.folder.path().canonicalize().unwrap();
            let below = places.iter().filter_map(|place| place.path.strip_prefix(&top).ok());
            below.map(|path| path.display().to_string()).collect()
        }
    }

    /// S1.27.
    #[test]
    fn given_rules_about_files_then_the_profile_hides_and_keeps_what_they_say() {
        let world = World::new(&[
            (Effect::Deny, "read(**/.env)"),
            (Effect::Ask, "read(secrets/**)"),
            (Effect::Deny, "read(~/k/ke?)"),
            (Effect::Deny, "write(src/**)"),
        ]);
        let Derived { profile, left_out } = world.profile(Mode::Default);
        assert_eq!(world.below(&profile.writable), ["w"]);
        assert_eq!(world.below(&profile.hidden), ["home/.ssh", "home/k/key", "w/.env", "w/secrets"]);
        assert_eq!(world.below(&profile.read_only), ["w/.git/hooks", "w/src"]);
        assert!(left_out.iter().any(|text| text.contains("**/.env")), "{left_out:?}");
        let because = &profile.hidden.iter().find(|place| place.path.ends_with(".env")).unwrap().because;
        assert!(because.contains("read(**/.env)"), "{because}");
    }

    /// "`plan`: nothing writable but the private folder."
    #[test]
    fn given_mode_plan_then_nothing_may_be_written() {
        assert_eq!(World::new(&[]).profile(Mode::Plan).profile.writable, []);
    }
}
