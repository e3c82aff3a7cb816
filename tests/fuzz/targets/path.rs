//! What `bodies/path.rs` does, on what the fuzzer makes.
#![no_main]

#[path = "../bodies/path.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
