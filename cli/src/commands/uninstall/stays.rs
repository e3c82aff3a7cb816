//! What `mayi uninstall` leaves, and how that goes too.

use std::path::{Path, PathBuf};

use mayi_core::approval::visible;
use mayi_core::call::shell::{join, quote};
use mayi_core::config::{Trust, TrustedKind, WORKSPACE_FILE};

use super::extension::{self, EXTENSION};
use super::own::Own;
use crate::context::Context;
use crate::installed;

/// Where scripts of completions are usually put.
const COMPLETIONS: &[&str] = &[
    ".local/share/bash-completion/completions/mayi",
    ".config/fish/completions/mayi.fish",
    ".zfunc/_mayi",
    ".zsh/completions/_mayi",
    ".local/share/zsh/site-functions/_mayi",
];

/// Tells what is there still.
pub(super) fn tell(program: Option<&Path>, ctx: &Context) {
    let mut own = Own::all(ctx);
    let mut foreign = false;
    own.retain(|one| {
        let contents = one.contents();
        foreign |= !contents.foreign.is_empty();
        !contents.is_foreign()
    });
    for one in &own {
        ctx.note(format!("stays     {}  {} ({}): {}", one.what, one.shown(), one.size(), one.holds()));
    }
    if !own.is_empty() {
        let words = ["rm", "-r", "--"].map(str::to_owned).into_iter();
        let paths = own.iter().map(|one| one.path.display().to_string());
        let command = visible(&join(&words.chain(paths).collect::<Vec<_>>()));
        // What somebody else has put there is not told to be deleted.
        let or = if foreign { String::new() } else { format!(", or {command}") };
        ctx.note(format!("          delete them with: mayi uninstall --purge{or}"));
    }
    for file in projects(ctx) {
        ctx.note(format!("stays     project  {}: it belongs to the project", shown(&file)));
    }
    if let Some(home) = ctx.sources.folders.home.as_deref() {
        for (folder, editor) in extension::installed(home) {
            ctx.note(format!(
                "stays     extension  {}: {editor} --uninstall-extension {EXTENSION}",
                shown(&folder)
            ));
        }
        for file in COMPLETIONS.iter().map(|name| home.join(name)).filter(|file| file.is_file()) {
            ctx.note(format!("stays     completions  {}: delete it", shown(&file)));
        }
    }
    for file in extension::settings(&ctx.sources.folders) {
        if has_settings(&file) {
            ctx.note(format!("stays     settings  {}: yours, of the extension (`mayi.`)", shown(&file)));
        }
    }
    if let Some(program) = program {
        ctx.note(format!("stays     program  {}", shown(program)));
        for line in installed::way(program, &installed::Evidence::here(ctx)).remove(program) {
            ctx.note(format!("          {}", visible(&line)));
        }
    }
}

/// Files of projects' own configuration, as far as they are known.
fn projects(ctx: &Context) -> Vec<PathBuf> {
    let trusted = Trust::read(&ctx.sources.folders).ok();
    let trusted = trusted.iter().flat_map(Trust::files);
    let mut files: Vec<PathBuf> = trusted
        .filter(|file| file.kind == TrustedKind::Workspace)
        .map(|file| file.path.clone())
        .chain(ctx.sources.workspace.clone())
        .filter(|file| file.file_name().is_some_and(|name| name == WORKSPACE_FILE) && file.is_file())
        .collect();
    files.sort();
    files.dedup();
    files
}

fn has_settings(file: &Path) -> bool {
    use std::io::Read as _;
    let mut text = Vec::new();
    let read = mayi_core::config::secure::open(file, true)
        .and_then(|file| file.take(super::super::settings::LARGEST as u64).read_to_end(&mut text));
    read.is_ok() && text.windows(6).any(|word| word == b"\"mayi.")
}

fn shown(path: &Path) -> String {
    visible(&quote(&path.display().to_string()))
}
