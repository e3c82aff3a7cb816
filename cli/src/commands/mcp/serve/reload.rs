//! The configuration changes while the gateway runs: what is written counts from then on.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use mayi_core::approval::visible;
use mayi_core::call::ServerId;
use mayi_core::config::{Loaded, rename_servers};
use mayi_core::gate::Gate;

use crate::commands::Context;

/// How often its files are looked at.
const EVERY: Duration = Duration::from_secs(1);

/// What shows that a file has changed.
type Stamp = Option<(SystemTime, u64)>;

/// Looks at the files of the configuration from now on, as long as the runtime lives.
/// `running`: the servers that are behind the gateway.
pub(super) fn watch(gate: Gate, ctx: Context, loaded: &Loaded, running: Vec<(String, ServerId)>) {
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

fn replace(gate: &Gate, ctx: &Context, running: &[(String, ServerId)]) {
    match ctx.load() {
        Ok(mut loaded) => {
            ctx.notices(&loaded);
            for name in rename_servers(&mut loaded.policy, &loaded.servers, running) {
                let name = visible(&name);
                ctx.note(format!(
                    "mayi: {name}: another server is configured under this name now. The one that runs is asked about \
                     until mayi is started again"
                ));
            }
            gate.replace_policy(loaded.policy);
            ctx.note("mayi: the configuration has changed, and counts as it is now");
        }
        // Decisions, section 5: "nothing runs on half a policy". What held goes on holding, and all is asked about.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mayi_core::config::{ServerLaunch, Transport};
    use mayi_core::policy::{Approval, Origin, Policy, ServerSettings};

    use super::*;

    fn at(url: &str) -> Transport {
        Transport::Http { url: url.to_owned(), headers: BTreeMap::new() }
    }

    /// Attack 143: what is written for another server under the name of one that runs is not for that one.
    #[test]
    fn given_another_server_under_a_name_that_runs_then_its_settings_allow_it_nothing() {
        let running: Vec<(String, ServerId)> =
            ["a", "b"].map(|name| (name.to_owned(), at("https://old.example").identity())).into();
        let mut policy = Policy::default();
        let allowed = ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() };
        let mut configured = BTreeMap::new();
        for (name, url) in [("a", "https://old.example"), ("b", "https://new.example")] {
            policy.servers.insert(name.to_owned(), allowed.clone());
            let origin = Origin { file: None, line: None, layer: "user" };
            let launch = ServerLaunch { name: name.to_owned(), transport: at(url), origin };
            configured.insert(name.to_owned(), launch);
        }
        assert_eq!(rename_servers(&mut policy, &configured, &running), ["b"]);
        assert_eq!(policy.servers["a"], allowed);
        assert_eq!(policy.servers["b"].approval, Some(Approval::Required));
    }
}
