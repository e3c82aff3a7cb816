//! Configuration: files, environment and command line, read into a
//! [`Policy`](mayi_policy::Policy) and descriptions of what can be started (D3 and D5).
//!
//! A file is read by itself, with spans, so that every rule and every mistake knows its line. Then
//! the layers are laid over each other: rules add up, scalars of the nearest layer count, and what a
//! layer may not loosen is left out with a notice.

mod build_policy;
mod compiled;
pub mod edit;
mod editor;
mod error;
mod hints;
mod ids;
mod launch;
mod load;
mod names;
mod outside;
mod permanent_answers;
mod presets;
mod read;
mod record;
mod review;
mod running_programs;
mod scalars;
mod schema;
mod scripts;
pub mod secure_read;
mod source;
mod sources;
pub mod template;
mod tighten;
mod trust;
mod workspace;

pub use compiled::CompiledFile;
pub use editor::{EditorAgent, EditorServer, EditorSettings, EditorTool, EditorToolParts, EditorWorkspace};
pub use error::{ConfigError, ConfigErrors};
pub use launch::{AgentCommand, AgentLaunch, ServerLaunch, Transport, find_program};
pub use load::{LoadedConfig, SearchedFile, check_file, load};
pub use mayi_policy::Layer;
pub use names::{RESERVED, nearest_word};
pub use permanent_answers::{EditorKeeper, FileKeeper};
pub use presets::{Asks, PRESETS, Preset, ServerRule, spare_servers};
pub use read::named_folder;
pub use record::{Durability, RecordSettings};
pub use review::{Review, review_workspace};
pub use running_programs::{ConflictingNames, RunningSession};
pub use scalars::{Locks, OnUnasked, Setting};
pub use schema::{config_schema, schema_text};
pub use sources::{CommandLine, Folders, MANAGED_FILE, Sources, WORKSPACE_FILE};
pub use trust::{
    Trust, TrustState, TrustedFile, TrustedKind, content_digest, place_of, program_digest, trust_file,
};

/// The largest file of a repository's, or of another tool's, that is read: 1 MiB.
pub const LARGEST_FILE: u64 = 1 << 20;

/// The largest file of the user's or an administrator's that is read: 16 MiB. 100,000 rules take 3.
pub const LARGEST_OWN_FILE: u64 = 16 << 20;

#[cfg(test)]
mod tests;
