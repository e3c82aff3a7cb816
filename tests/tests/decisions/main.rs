//! Decisions that can be trusted: the corpus through the library and the program, real bash beside the analysis of
//! lines, an ordinary session, hostile inputs and those of the fuzz targets, and the scores on other projects' cases.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed"
)]
#![allow(clippy::print_stdout, reason = "what was counted is told, also where it is fine")]

mod corpus;
mod differential;
mod everyday;
mod fuzz;
mod heavy;
mod hostile;
mod names;
mod score;
mod secrets_by_name;
mod session;
mod words;
