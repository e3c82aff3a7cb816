//! `mayi update`: how a newer mayi is had, by how this one was installed.

use mayi_core::approval::visible;
use serde_json::json;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installed::{self, Evidence};
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
pub(super) fn update(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let program = installed::program()
        .ok_or_else(|| CliError::internal("where this program is can't be told by the system"))?;
    let way = installed::way(&program, &Evidence::here(ctx));
    if args.json {
        print::json(&print::Versioned::of(json!({
            "program": program, "release": env!("CARGO_PKG_VERSION"), "installed": way.id(), "told": way.told(),
            "update": way.update(), "remove": way.remove(&program),
        })))?;
        return Ok(Exit::Done);
    }
    print::line(format!(
        "mayi {} is {}",
        env!("CARGO_PKG_VERSION"),
        visible(&program.display().to_string())
    ))?;
    print::line(format!("  {}", visible(&way.told())))?;
    print::line("update it with:")?;
    for line in way.update() {
        print::line(format!("  {}", visible(&line)))?;
    }
    Ok(Exit::Done)
}
