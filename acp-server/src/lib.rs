//! The JSON-RPC backend for editors: not written yet, and nothing here runs.
//!
//! It will be a second front end on `mayi-core`, beside the command line. README.md says what it will speak.
