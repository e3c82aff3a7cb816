//! What a tool's input may be read as, the same at every door. Agents and harnesses differ in which of several keys they read, how
//! they write lists and what they make of a text: each reading that somebody may have is judged, so that nothing runs by one that was
//! not looked at.

mod addresses;
mod commands;
mod items;
mod variables;

pub use addresses::addresses;
pub use commands::{
    InputCommand, LINES, all_commands, command_readings, has_command, is_command_key, is_plain_word,
    nested_commands,
};
pub use items::{ItemKeys, ItemReading, is_path_key, read_items, read_members, stray_paths};
pub use variables::variables;
