//! What is kept before a command runs that nobody has allowed: any program can overwrite.

use mayi_core::call::{Access, Call};
use mayi_core::gate::Session;

use crate::context::Context;

/// What was kept, and is to be compared with what the command leaves.
#[derive(Default)]
pub(super) struct Kept {
    #[cfg(unix)]
    taken: Option<(mayi_snapshot::Snapshots, mayi_snapshot::SnapshotId)>,
}

#[cfg(unix)]
impl Kept {
    /// Keeps what is in the session's folders.
    ///
    /// # Errors
    /// If it can't be kept, why: then a person has to say that the command may run all the same.
    pub(super) fn keep(session: &Session, call: &Call, ctx: &Context) -> Result<Self, String> {
        use mayi_snapshot::{Limits, Snapshots, Taken};

        let _progress = crate::progress::Progress::new(ctx, false, "keeping what the command could change");
        let failed = |error: &dyn std::fmt::Display| format!("what it could change can't be kept: {error}");
        let folder = super::super::undo::folder(ctx).map_err(|_| failed(&"there is no home folder"))?;
        let snapshots = Snapshots::open(folder).map_err(|error| failed(&error))?;
        let label = label(call, ctx);
        match snapshots.take(&session.roots, &Limits::default(), &label).map_err(|error| failed(&error))? {
            Taken::Done(snapshot) => Ok(Self { taken: Some((snapshots, snapshot.id)) }),
            Taken::TooLarge { what } => Err(failed(&what)),
        }
    }

    /// Notes what the command left.
    pub(super) fn finish(self, ctx: &Context) {
        if let Some((snapshots, id)) = self.taken
            && let Err(error) = snapshots.finish(id)
        {
            ctx.print_note(format!("mayi: what the command left is not noted for `mayi undo`: {error}"));
        }
    }
}

#[cfg(not(unix))]
impl Kept {
    pub(super) fn keep(_: &Session, _: &Call, _: &Context) -> Result<Self, String> {
        Err("mayi keeps nothing on this system".to_owned())
    }

    pub(super) fn finish(self, _: &Context) {}
}

/// The command, without secrets.
#[cfg(unix)]
fn label(call: &Call, ctx: &Context) -> String {
    let line = call.accesses.first().map(Access::object).unwrap_or_default();
    let record = ctx.load().map(|loaded| loaded.record).unwrap_or_default();
    crate::memory::record_redactor(&record)
        .map(|redactor| redactor.redact(&line).into_owned())
        .unwrap_or_default()
}
