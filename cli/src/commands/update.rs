//! `mayi update`: how a newer mayi is had, by how this one was installed.

use mayi_core::approval::escape_line;
use serde_json::json;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installed::{self, InstallEvidence};
use crate::options::ListArgs;
use crate::print;

pub(super) const AFTER: &str = "\
It says it, and does nothing: no program is started, and no network is asked. How mayi was
installed is told from where the program is, and from what its installer left beside it.

Examples:
  mayi update
  mayi update --json | jq -r .installed     cargo, pip, pipx, uv, wheel, npm, run, debian,
                                            homebrew, nix, extension, archive, development, or
                                            unknown";

/// Does what `mayi update` says.
///
/// # Errors
/// If where the program is can't be told, or the answer can't be written.
pub(super) fn run(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let program = installed::current_program()
        .ok_or_else(|| CliError::internal("where this program is can't be told by the system"))?;
    let way = installed::detect_install_method(&program, &InstallEvidence::of_this_machine(ctx));
    if args.json {
        print::stdout_json(&print::Versioned::new(json!({
            "program": program, "release": env!("CARGO_PKG_VERSION"), "installed": way.id(), "told": way.describe(),
            "update": way.update_steps(), "remove": way.removal_steps(&program),
        })))?;
        return Ok(Exit::Done);
    }
    print::stdout_line(format!(
        "mayi {} is {}",
        env!("CARGO_PKG_VERSION"),
        escape_line(&program.display().to_string())
    ))?;
    print::stdout_line(format!("  {}", escape_line(&way.describe())))?;
    print::stdout_line("update it with:")?;
    for line in way.update_steps() {
        print::stdout_line(format!("  {}", escape_line(&line)))?;
    }
    Ok(Exit::Done)
}
