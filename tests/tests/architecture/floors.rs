//! The floors of the core: crates, so that what is not declared can't be used.

use std::process::Command;

use super::top;

/// Each floor, and what stands below it of the workspace.
const FLOORS: &[(&str, &[&str])] = &[
    ("mayi-call", &[]),
    ("mayi-policy", &["mayi-call"]),
    ("mayi-sandbox", &["mayi-call", "mayi-policy"]),
    ("mayi-snapshot", &["mayi-call"]),
    ("mayi-kept", &["mayi-call", "mayi-policy"]),
    ("mayi-config", &["mayi-call", "mayi-kept", "mayi-policy"]),
    ("mayi-import", &["mayi-call", "mayi-config", "mayi-kept", "mayi-policy"]),
];

/// The gate, which waits: it has an executor, and nothing that it could reach anybody with.
const GATE: (&str, &[&str]) =
    ("mayi-core", &["mayi-call", "mayi-config", "mayi-import", "mayi-kept", "mayi-policy"]);

/// What talks to others, or waits for them.
const NETWORK: &[&str] = &[
    "agent-client-protocol",
    "async-std",
    "axum",
    "h2",
    "hyper",
    "jsonrpsee",
    "mio",
    "quinn",
    "reqwest",
    "rmcp",
    "rustls",
    "socket2",
    "tokio",
    "tower",
    "tungstenite",
];

/// The packages that this one is built of, by their names.
fn tree(package: &str) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = [
        "tree",
        "--package",
        package,
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--offline",
    ];
    let output = Command::new(cargo).args(arguments).current_dir(top()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<String> =
        text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 20, "{names:?}");
    names
}

/// "The trusted part builds and tests with no network stack in its tree", and each floor knows those below it alone.
#[test]
fn given_a_floor_of_the_core_then_only_the_floors_below_it_and_no_network_are_in_its_tree() {
    for (floor, below) in FLOORS.iter().chain([&GATE]) {
        let names = tree(floor);
        let own: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| name.starts_with("mayi") && name != floor)
            .collect();
        assert_eq!(own, *below, "{floor}");
        let stray: Vec<&String> = names
            .iter()
            .filter(|name| *floor != GATE.0 || !name.starts_with("tokio"))
            .filter(|name| NETWORK.iter().any(|one| name == one || name.starts_with(&format!("{one}-"))))
            .collect();
        assert_eq!(stray, [""; 0], "{floor}");
    }
    assert!(tree("mayi-acp").iter().any(|name| name == "mio"), "it would be noticed");
}
