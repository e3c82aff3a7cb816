//! The backend of editors (`mayi serve`): a real process, real agents behind it, and clients of somebody else's making.
#![cfg(unix)]

mod answers;
mod asking;
mod events;
mod hostile;
mod scene;
mod settings;
mod starting;
mod tabs;
