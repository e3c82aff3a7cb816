//! What `bodies/shell.rs` does, on what the fuzzer makes.
#![no_main]

#[path = "../bodies/shell.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
