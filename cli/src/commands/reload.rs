//! The configuration changes while a gateway runs: what is written counts from then on.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use mayi_core::approval::visible;
use mayi_core::config::{Loaded, Running};
use mayi_core::gate::Gate;

use crate::context::Context;

/// How often its files are looked at.
const EVERY: Duration = Duration::from_secs(1);

/// What shows that a file has changed.
type Stamp = Option<(SystemTime, u64)>;

/// Looks at the files of the configuration from now on, as long as the runtime lives.
/// `running`: the servers that are behind it.
pub(super) fn watch(gate: Gate, ctx: Context, loaded: &Loaded, running: Running) {
    let mut files: Vec<PathBuf> = loaded.files.iter().map(|file| file.path.clone()).collect();
    files.extend(ctx.sources.workspace.clone());
    let mut last: Vec<Stamp> = files.iter().map(stamp).collect();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(EVERY).await;
            let now: Vec<Stamp> = files.iter().map(stamp).collect();
            if now != last {
                last = now;
                replace(&gate, &ctx, &running);
            }
        }
    });
}

fn replace(gate: &Gate, ctx: &Context, running: &Running) {
    match ctx.load() {
        Ok(mut loaded) => {
            ctx.notices(&loaded);
            let others = running.fit(&mut loaded);
            if let Some(name) = others.agent {
                ctx.note(format!(
                    "mayi: {}: another program is configured for this agent now. The one that runs has no bypass until mayi \
                     is started again",
                    visible(&name)
                ));
            }
            for name in others.servers {
                let name = visible(&name);
                ctx.note(format!(
                    "mayi: {name}: another server is configured under this name now. The one that runs is asked about \
                     until mayi is started again"
                ));
            }
            gate.replace_policy(loaded.policy);
            ctx.note("mayi: the configuration has changed, and counts as it is now");
        }
        // D5.12: nothing runs on half a policy. What held goes on holding, and all is asked about.
        Err(error) => {
            error.report(ctx.color_of_errors());
            let mut policy = (*gate.policy()).clone();
            let why = "the configuration has changed and can't be read: `mayi config check` says what is wrong with it";
            policy.ask_all = Some(why.to_owned());
            gate.replace_policy(policy);
        }
    }
}

fn stamp(path: &PathBuf) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
