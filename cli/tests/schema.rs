//! `mayi config schema`: what editors read.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;

/// "The JSON schema of the file is generated, checked in."
#[test]
fn given_the_schema_then_it_is_the_one_that_is_checked_in() {
    let done = Machine::new().mayi(["config", "schema"]);
    let there =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/config/mayi.schema.json"))
            .unwrap();
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out == there, "write it anew: just schema");
    let value: serde_json::Value = serde_json::from_str(&there).unwrap();
    assert_eq!(value["properties"]["mode"]["$ref"], "#/$defs/Mode");
}
