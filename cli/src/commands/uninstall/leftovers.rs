//! What `mayi uninstall` leaves, and how that goes too.

use std::path::{Path, PathBuf};

use mayi_core::approval::escape_line;
use mayi_core::call::shell::{join_words, quote_word};
use mayi_core::config::{Trust, TrustedKind, WORKSPACE_FILE};

use super::extension::{self, EXTENSION};
use super::own_folders::OwnFolder;
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
pub(super) fn report_leftovers(program: Option<&Path>, ctx: &Context) {
    let mut own = OwnFolder::list_existing(ctx);
    let mut foreign = false;
    own.retain(|one| {
        let contents = one.scan_contents();
        foreign |= !contents.foreign.is_empty();
        !contents.is_foreign()
    });
    for one in &own {
        ctx.print_note(format!(
            "stays     {}  {} ({}): {}",
            one.what,
            one.display_path(),
            one.size_text(),
            one.contents_description()
        ));
    }
    if !own.is_empty() {
        let words = ["rm", "-r", "--"].map(str::to_owned).into_iter();
        let paths = own.iter().map(|one| one.path.display().to_string());
        let command = escape_line(&join_words(&words.chain(paths).collect::<Vec<_>>()));
        // What somebody else has put there is not told to be deleted.
        let or = if foreign { String::new() } else { format!(", or {command}") };
        ctx.print_note(format!("          delete them with: mayi uninstall --purge{or}"));
    }
    for file in project_config_files(ctx) {
        ctx.print_note(format!("stays     project  {}: it belongs to the project", quoted_path(&file)));
    }
    if let Some(home) = ctx.sources.folders.home.as_deref() {
        for (folder, editor) in extension::installed_extensions(home) {
            ctx.print_note(format!(
                "stays     extension  {}: {editor} --uninstall-extension {EXTENSION}",
                quoted_path(&folder)
            ));
        }
        for file in COMPLETIONS.iter().map(|name| home.join(name)).filter(|file| file.is_file()) {
            ctx.print_note(format!("stays     completions  {}: delete it", quoted_path(&file)));
        }
    }
    for file in extension::editor_settings_files(&ctx.sources.folders) {
        if has_settings(&file) {
            ctx.print_note(format!(
                "stays     settings  {}: yours, of the extension (`mayi.`)",
                quoted_path(&file)
            ));
        }
    }
    for folder in extension::storage_folders(&ctx.sources.folders) {
        ctx.print_note(format!(
            "stays     extension  {}: what the editor keeps for it; delete it when the extension is gone",
            quoted_path(&folder)
        ));
    }
    if let Some(program) = program {
        ctx.print_note(format!("stays     program  {}", quoted_path(program)));
        for line in
            installed::detect_install_method(program, &installed::InstallEvidence::of_this_machine(ctx))
                .removal_steps(program)
        {
            ctx.print_note(format!("          {}", escape_line(&line)));
        }
    }
}

/// Files of projects' own configuration, as far as they are known.
fn project_config_files(ctx: &Context) -> Vec<PathBuf> {
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
    let read = mayi_core::config::secure_read::open(file, true)
        .and_then(|file| file.take(super::super::settings::LARGEST as u64).read_to_end(&mut text));
    read.is_ok() && text.windows(6).any(|word| word == b"\"mayi.")
}

fn quoted_path(path: &Path) -> String {
    escape_line(&quote_word(&path.display().to_string()))
}
