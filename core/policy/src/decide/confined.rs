//! Allowed because confined (D4.32): what the kernel holds in full needs nobody's word, unless somebody has said something of it.

use mayi_call::shell::{CaveatSubject, Reach, Touch, Use};
use mayi_call::{Access, Call, ShellAccess, WriteKind};

use super::SessionStanding;
use crate::{Mode, Policy};

/// Whether the kernel may stand for a person in asks about `call`: it holds all of it, it has no network to reach, and nothing
/// that it does by its own words destroys files, which no profile of the session's folders keeps it from.
pub(super) fn may_stand_in(policy: &Policy, call: &Call, standing: &SessionStanding<'_>) -> bool {
    policy.allow_confined
        && call.held
        && standing.mode != Mode::Plan
        && call.accesses.iter().all(|access| match access {
            Access::Shell(shell) => !reaches_out(shell) && !shell.touches.iter().any(destroys),
            Access::Read(_) => true,
            Access::Write(kind, _) => *kind != WriteKind::Delete,
            _ => false,
        })
}

/// Whether its words name another machine: without a network it would only fail.
fn reaches_out(shell: &ShellAccess) -> bool {
    let address = |of: &CaveatSubject| matches!(of, CaveatSubject::Address { .. });
    !shell.urls.is_empty() || shell.caveats.iter().any(|caveat| address(&caveat.named))
}

/// Whether it deletes what is there, or changes what no word of it names.
fn destroys(touch: &Touch) -> bool {
    match touch.how {
        Use::Write(WriteKind::Delete) => true,
        Use::Write(_) => touch.reach == Reach::Somewhere,
        Use::Read | Use::Either => false,
    }
}
