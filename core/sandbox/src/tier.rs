//! How much of a profile can be held here, and what of it can't.

use std::fmt;

use serde::Serialize;

use crate::Profile;

/// By what a profile is held, from the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// By nothing: a process runs as it would without mayi.
    None,
    /// By Landlock and seccomp alone.
    Kernel,
    /// By namespaces, mounts, Landlock and seccomp.
    Full,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Kernel => "kernel",
            Self::Full => "full",
        })
    }
}

/// Maximum number of places that are hidden or kept read-only: each is a mount.
const MOST_MOUNTS: usize = 128;

impl Tier {
    /// What of `profile` it can't hold, one line each; nothing if it holds all of it.
    #[must_use]
    pub fn shortfalls(self, profile: &Profile) -> Vec<String> {
        let mut left = Vec::new();
        let places = |places: &[crate::Place]| {
            let shown = places.iter().take(3).map(|place| place.path.display().to_string());
            let more = places.len().saturating_sub(3);
            let more = (more > 0).then(|| format!("{more} more"));
            shown.chain(more).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::None => left.push("nothing holds it here".to_owned()),
            Self::Kernel => {
                if !profile.hidden.is_empty() {
                    left.push(format!("it can read {}", places(&profile.hidden)));
                }
                let kept: Vec<_> = profile.read_only.iter().chain(&profile.copied).cloned().collect();
                if !kept.is_empty() {
                    left.push(format!("it can write {}", places(&kept)));
                }
                left.push("it can change times and rights of files that it may not write".to_owned());
                left.push("it goes on if mayi is killed".to_owned());
            }
            Self::Full => {
                let mounts = profile.hidden.len() + profile.read_only.len() + profile.copied.len();
                if mounts > MOST_MOUNTS {
                    left.push(format!(
                        "{mounts} places would have to be held, and {MOST_MOUNTS} is the maximum"
                    ));
                }
            }
        }
        left
    }
}
