//! Which tier works, tried once: a trial starts three processes. Only that the full one does is remembered, for this boot, this user
//! and these namespaces; where it is not true any more, a command is not started, and `mayi sandbox check` tries it anew.

use std::path::{Path, PathBuf};

use mayi_sandbox::{Tier, available_tier};

use crate::context::Context;

/// The strongest tier that works, and why there is no stronger one.
pub(super) fn tier(ctx: &Context) -> (Tier, Option<String>) {
    let known = place(ctx).zip(circumstances());
    if let Some((place, circumstances)) = &known
        && std::fs::read_to_string(place).is_ok_and(|tried| tried == *circumstances)
    {
        return (Tier::Full, None);
    }
    anew(ctx)
}

/// The same, tried now.
pub(super) fn anew(ctx: &Context) -> (Tier, Option<String>) {
    let (tier, why) = available_tier();
    if let Some((place, circumstances)) = place(ctx).zip(circumstances()) {
        // Where it can't be remembered, it is tried again.
        let _ = match tier {
            Tier::Full => remember(&place, &circumstances),
            _ => std::fs::remove_file(&place),
        };
    }
    (tier, why)
}

fn place(ctx: &Context) -> Option<PathBuf> {
    Some(ctx.sources.folders.data.as_deref()?.join("sandbox/tier"))
}

fn remember(place: &Path, circumstances: &str) -> std::io::Result<()> {
    let folder = place.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, circumstances.as_bytes())?;
    file.persist(place)?;
    Ok(())
}

/// What a trial's outcome depends on; none where that can't be told.
fn circumstances() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = |name: &str| std::fs::read_link(Path::new("/proc/self/ns").join(name)).ok();
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let lines = status.lines().filter(|line| {
        ["Uid:", "Gid:", "CapBnd:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:"]
            .iter()
            .any(|name| line.starts_with(name))
    });
    let program = std::env::current_exe().ok()?.metadata().ok()?.modified().ok()?;
    Some(format!(
        "{}\n{:?} {:?}\n{:?}\n{}\n",
        boot.trim(),
        namespace("user")?,
        namespace("mnt")?,
        program,
        lines.collect::<Vec<_>>().join("\n")
    ))
}
