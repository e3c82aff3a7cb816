//! The example that asks by itself; built now, if `cargo test` was told not to.

use std::path::PathBuf;
use std::process::Command;

pub(crate) fn surface(scenario: &str) -> Command {
    let this = std::env::current_exe().unwrap();
    let folder = this.parent().unwrap().parent().unwrap();
    let program = folder.join("examples/surface_pty");
    let made = |path: &PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
    if made(&program) < made(&this) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--workspace", "--example", "surface_pty", "--manifest-path"]);
        cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        cargo.arg("--target-dir").arg(folder.parent().unwrap());
        // What cargo says of this test's own package would have build scripts run again, and all that needs them.
        let kept = ["CARGO_HOME", "CARGO_BUILD_JOBS", "CARGO_INCREMENTAL"];
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_") && !kept.contains(&&*text) {
                cargo.env_remove(&name);
            }
        }
        if folder.ends_with("release") {
            cargo.arg("--release");
        }
        let built = cargo.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
    let mut command = Command::new(program);
    command.arg(scenario);
    command
}
