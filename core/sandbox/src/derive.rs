//! A profile of policy and session: each place is judged as a file tool's access to it would be, by the same [`decide`].

use std::path::{Component, Path, PathBuf};

use mayi_call::{Access, AgentId, Call, Door, PathAccess, SessionId, WriteKind};
use mayi_policy::{
    Decision, Effect, Finding, Layer, Mode, Policy, SessionStanding, Source, decide, fold_text,
};

use crate::git_settings::is_git_settings;
use crate::needed;
use crate::walk::{ANY_NAME, Walk};
use crate::{Cache, Place, Profile, Tier};

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
    /// Caches of tools that there are.
    pub caches: &'a [Cache],
}

/// How much a command may read, besides what the rules hide.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// All that the user can.
    Everything,
    /// The session's folders, the system, what rules allow to be read by name, and of home what programs need.
    Needed {
        /// The folders in which the user's shell looks for programs.
        programs: &'a [PathBuf],
        /// Places that the command names, of which it is decided that they may be read.
        named: &'a [PathBuf],
    },
}

/// A profile, and what could not be put into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// What may be done.
    pub profile: Profile,
    /// What of the rules is not in it, one line each.
    pub left_out: Vec<String>,
    /// Rules about names that could be anywhere: they are in it for the session's folders.
    pub here_alone: Vec<String>,
    /// Why there may be more to hold that was not found: then no tier holds all of it.
    pub incomplete: Option<String>,
}

impl Derived {
    /// Whether the full tier holds all that the rules say, wherever that can be reached.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.left_out.is_empty()
            && self.incomplete.is_none()
            && Tier::Full.shortfalls(&self.profile).is_empty()
    }
}

impl Ground<'_> {
    /// The profile that holds what the rules say of files: what they deny or ask about is hidden or kept as it is.
    #[must_use]
    pub fn profile(&self, reading: Reading<'_>) -> Derived {
        // In the form that is mounted; a root may stand there in two.
        let mut roots: Vec<PathBuf> = self.roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        roots.sort();
        roots.dedup();
        roots.retain(|root| root.is_dir());
        let readable = match reading {
            Reading::Everything => None,
            Reading::Needed { programs, named: places } => {
                let mut readable = needed::places(self.home, programs);
                readable.extend(self.allowed_places());
                let named =
                    |path: &PathBuf, because: &str| Place { path: path.clone(), because: because.to_owned() };
                let there = places.iter().filter(|place| place.exists());
                readable.extend(there.map(|place| named(place, "the command names it")));
                readable.extend(self.caches.iter().map(|cache| named(&cache.folder, "a cache of a tool")));
                readable.extend(roots.iter().map(|root| named(root, "the session's folder")));
                Some(readable)
            }
        };
        let mut walk = Walk::new(*self);
        for root in &roots {
            if self.standing.mode != Mode::Plan && self.reason_against_writing(&root.join(ANY_NAME)).is_none()
            {
                walk.allow_writing(root, "the session's folder");
            }
        }
        // Also in folders that are passed over otherwise.
        for place in self.named_places(&roots, &mut walk) {
            // What can't be read at all need not be hidden.
            if readable.as_ref().is_none_or(|readable| needed::can_hold(readable, &place)) {
                walk.judge_named(&place);
            }
        }
        for root in &roots {
            walk.judge_folder(root);
        }
        let mut derived = walk.into_derived();
        let private = self.home.filter(|_| readable.is_some()).and_then(|home| home.canonicalize().ok());
        derived.profile.home = private.filter(|home| home.components().count() > 1).map(|path| Place {
            path,
            because: "what is written in it elsewhere is gone with the command".to_owned(),
        });
        derived.profile.readable = readable;
        if self.standing.mode != Mode::Plan {
            derived.profile.caches = self.caches.to_vec();
        }
        self.copy_git_settings(&mut derived.profile);
        derived.profile.absent = self.absent_names(&derived.profile);
        derived
    }

    /// What protection says of a file right in a folder `.git`, where there is none: what git reads there counts at once, also for a
    /// person's prompt that runs git, and no mount holds a name that is not there.
    fn absent_names(&self, profile: &Profile) -> Vec<Place> {
        let protected = self.policy.protection.entries();
        let names = protected.iter().filter_map(|entry| {
            let name = entry.pattern.as_str().strip_prefix("write(**/.git/")?.strip_suffix(')')?;
            (!name.contains(['/', '*', '?', '[', '{', '\\'])).then_some(name)
        });
        let names: Vec<&str> = names.collect();
        let kept = profile.read_only.iter().chain(&profile.copied);
        let mut folders: Vec<&Path> =
            kept.filter_map(|place| place.path.ancestors().find(|folder| folder.ends_with(".git"))).collect();
        folders.sort();
        folders.dedup();
        let paths = folders.into_iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
        paths
            .filter(|path| path.symlink_metadata().is_err())
            .filter_map(|path| Some(Place { because: self.reason_against_writing(&path)?, path }))
            .collect()
    }

    /// Settings of repositories that are kept because they are protected, and by nobody's rule: the command gets copies of them.
    fn copy_git_settings(&self, profile: &mut Profile) {
        let ruled = |path: &Path| {
            let text = path.to_str()?;
            let decision = self.decision(|path| Access::Write(WriteKind::Write, path), text);
            let by_rule = |finding: &Finding| {
                finding.effect != Effect::Allow && matches!(finding.source, Source::Rule | Source::Grant)
            };
            Some(decision.trail.iter().any(by_rule))
        };
        let (copied, kept) = std::mem::take(&mut profile.read_only)
            .into_iter()
            .partition(|place| is_git_settings(&place.path) && ruled(&place.path) == Some(false));
        (profile.copied, profile.read_only) = (copied, kept);
    }

    /// Places outside of the session's folders that rules allow to be read, each by its name. A repository's rules are none of them.
    fn allowed_places(&self) -> Vec<Place> {
        let allows = self.policy.rules.iter().filter(|rule| {
            rule.effect == Effect::Allow
                && rule.origin.layer != Layer::Workspace
                && rule.unless.is_none()
                && rule.is_for(self.agent)
        });
        let named = allows.filter_map(|rule| {
            let (selector, path) = rule.pattern.as_str().split_once('(')?;
            let [place] = &*self.beginning(path.strip_suffix(')')?, &[])? else { return None };
            let place = (selector == "read").then(|| place.canonicalize().ok())??;
            Some(Place { path: place, because: format!("allow: {}", rule.pattern) })
        });
        named.collect()
    }

    /// Where rules and protection begin that name a place: elsewhere, or in one of the session's folders.
    fn named_places(&self, roots: &[PathBuf], walk: &mut Walk<'_>) -> Vec<PathBuf> {
        let rules =
            self.policy.rules.iter().filter(|rule| rule.effect != Effect::Allow).map(|rule| &rule.pattern);
        let protected = self.policy.protection.entries();
        let patterns = rules.chain(protected.iter().map(|entry| &entry.pattern));
        let mut places = Vec::new();
        for text in patterns.map(|pattern| pattern.as_str()) {
            let Some((selector, path)) = text.split_once('(') else { continue };
            let path = path.strip_suffix(')').unwrap_or(path);
            let about_files = ["read", "write", "create", "edit", "delete", "move"].contains(&selector);
            match self.beginning(path, roots) {
                _ if !about_files => {}
                Some(found) => places.extend(found),
                // Of writing there is nothing to say elsewhere: nothing is written there.
                None if selector == "read" => {
                    walk.hold_here_alone(text);
                }
                None => {}
            }
        }
        places.sort();
        places.dedup();
        places
    }

    /// The part of a pattern before its first wildcard, if that names a place: below home, the file system's top, or the session's
    /// folders.
    fn beginning(&self, pattern: &str, roots: &[PathBuf]) -> Option<Vec<PathBuf>> {
        let (known, rest) =
            pattern.split_at(pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len()));
        let known =
            if rest.is_empty() { known } else { known.rsplit_once('/').map_or("", |(folder, _)| folder) };
        let absolute = match known.strip_prefix("~/") {
            Some(below) => self.home?.join(below),
            None => PathBuf::from(known),
        };
        if absolute.is_absolute() {
            let named = absolute.components().filter(|part| matches!(part, Component::Normal(_))).count();
            return (named > 1 && self.home != Some(&*absolute)).then(|| vec![absolute]);
        }
        // A name without a slash is one at any depth, and so is a pattern that begins with a wildcard.
        let anchored = pattern.trim_end_matches('/').contains('/') && !pattern.starts_with("**/");
        (anchored && !known.is_empty()).then(|| roots.iter().map(|root| root.join(known)).collect())
    }

    fn decision(&self, access: impl FnOnce(PathAccess) -> Access, path: &str) -> Decision {
        let cwd = self.roots.first().map_or(Path::new("/"), PathBuf::as_path);
        let call = Call {
            roots: self.roots.to_vec(),
            accesses: vec![access(PathAccess::new(cwd, path))],
            ..Call::new(Door::Check, self.agent.clone(), SessionId(String::new()), cwd.to_owned())
        };
        decide(self.policy, &call, &self.standing)
    }

    pub(crate) fn reason_against_reading(&self, path: &Path) -> Option<String> {
        self.reason_against(Access::Read, path)
    }

    pub(crate) fn reason_against_writing(&self, path: &Path) -> Option<String> {
        self.reason_against(|path| Access::Write(WriteKind::Write, path), path)
    }

    /// The strictest finding about an access that is somebody's own words about this place: a rule, a remembered denial, or what is
    /// protected. Modes and settings say of kinds of calls what they do.
    fn reason_against(&self, access: impl FnOnce(PathAccess) -> Access, path: &Path) -> Option<String> {
        let Some(text) = path.to_str() else { return Some("a name that is not UTF-8 text".to_owned()) };
        let decision = self.decision(access, text);
        let within = self.roots.iter().any(|root| path.starts_with(root));
        let names =
            |finding: &Finding| finding.pattern.as_ref().is_none_or(|pattern| names_some_of(pattern, path));
        let speaks = |finding: &&Finding| {
            finding.effect != Effect::Allow
                && names(finding)
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

/// Whether a pattern is about a path, or a folder that it is in. It may also be about what could be in it, where it is a folder: what
/// is there has its own turn.
fn names_some_of(pattern: &str, path: &Path) -> bool {
    let last = pattern.trim_end_matches([')', '/']).rsplit(['/', '(']).next().unwrap_or_default();
    let last = fold_text(last);
    let names = |part: Component<'_>| part.as_os_str().to_str().is_none_or(|part| fold_text(part) == last);
    let plain =
        !last.is_empty() && !last.contains(['*', '?', '[', '{', '\\', '~']) && last != "." && last != "..";
    !plain || path.components().any(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
            let (policy, home) = (&self.policy, Some(&*home));
            Ground { policy, standing, agent: &agent, roots: &roots, home, caches: &[] }
                .profile(Reading::Everything)
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
        let Derived { profile, here_alone, .. } = world.profile(Mode::Default);
        assert_eq!(world.below(&profile.writable), ["w"]);
        assert_eq!(world.below(&profile.hidden), ["home/.ssh", "home/k/key", "w/.env", "w/secrets"]);
        assert_eq!(world.below(&profile.read_only), ["w/.git/hooks", "w/src"]);
        assert!(here_alone.contains(&"read(**/.env)".to_owned()), "{here_alone:?}");
        let because = &profile.hidden.iter().find(|place| place.path.ends_with(".env")).unwrap().because;
        assert!(because.contains("read(**/.env)"), "{because}");
    }

    /// What could be in a folder is no reason to keep the folder: a working tree of git's commits into `.git/worktrees/NAME`.
    #[test]
    fn given_a_folder_above_what_is_protected_then_it_may_be_written() {
        let world = World::new(&[
            (Effect::Deny, "write(a/*/b)"),
            (Effect::Deny, "read(secrets)"),
            (Effect::Deny, "write(src/*)"),
        ]);
        let top = world.folder.path().join("w");
        for file in [".git/worktrees/x/commondir", ".git/worktrees/x/index", "a/x/b", "a/x/c"] {
            fs::create_dir_all(top.join(file).parent().unwrap()).unwrap();
            fs::write(top.join(file), "").unwrap();
        }
        let profile = world.profile(Mode::Default).profile;
        assert_eq!(
            world.below(&profile.read_only),
            ["w/.git/hooks", "w/.git/worktrees/x/commondir", "w/a/x/b", "w/src"]
        );
        assert!(world.below(&profile.hidden).contains(&"w/secrets".to_owned()), "{:?}", profile.hidden);
    }

    /// "`plan`: nothing writable but the private folder."
    #[test]
    fn given_mode_plan_then_nothing_may_be_written() {
        assert_eq!(World::new(&[]).profile(Mode::Plan).profile.writable, []);
    }
}
