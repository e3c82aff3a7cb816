//! Patterns about arguments of MCP tools that are paths.

use super::*;

/// Attack 244: a text pattern says nothing about where a path leads.
#[test]
fn given_a_text_pattern_on_an_argument_then_no_path_out_of_it_is_allowed() {
    let pattern = |glob: &str| {
        let args = BTreeMap::from([("path".to_owned(), glob.to_owned())]);
        Pattern::with_args("mcp(files/*)", Some(args), &PatternBases::default()).unwrap()
    };
    let allows = |glob: &str, text: &str| {
        let call =
            McpAccess::new(vec![("files".into(), "x".into())], json!({ "path": text }), Path::new("/w"));
        pattern(glob).certainly_matches(&Access::Mcp(call), &roots())
    };
    for text in ["docs/a", "docs/a/b.md", "docs/..a", "docs/a..b", "docs/100%"] {
        assert!(allows("docs/*", text), "{text}");
    }
    for text in [
        "docs/../../../etc/passwd",
        "docs/..",
        "docs/%2e%2e/x",
        "docs/%2E./x",
        "docs/..%2fx",
        "docs/%252e%252e/x",
        "docs\\..\\x",
        "docs/..\\x",
        "docs/.%2e%5cx",
        "docs/%ff../x",
        "docs/.. /x",
    ] {
        assert!(!allows("docs/*", text), "{text}");
        assert!(!allows("*", text), "{text}");
    }
    for text in [
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "~root/x",
        " /etc",
        "%2fetc",
        "%7e/x",
        "file:///etc",
        "FILE:/etc",
        "\\etc",
    ] {
        assert!(!allows("*", text), "{text}");
    }
    assert!(allows("/srv/*", "/srv/a") && allows("~/docs/*", "~/docs/a") && !allows("/srv/*", "%2fsrv/a"));
    assert!(!allows("/srv/*", "/srv/../etc"));
}

/// Attack 245: an argument that is a path is resolved like any path, in each way that it could be read.
#[test]
fn given_a_path_pattern_on_an_argument_then_each_reading_of_it_has_to_fit() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("src/sub")).unwrap();
    std::fs::write(root.join("src/a"), "x").unwrap();
    std::os::unix::fs::symlink("/etc", root.join("src/out")).unwrap();
    let roots = vec![root.clone()];
    let paths = Some(BTreeMap::from([("path".to_owned(), "src/**".to_owned())]));
    let of = ArgumentConditions { args: None, paths };
    let pattern = Pattern::with_conditions(
        "mcp(files/*)",
        of,
        &PatternBases { home: None, roots: roots.clone(), ..PatternBases::default() },
    )
    .unwrap();
    let call = |value: serde_json::Value| {
        Access::Mcp(McpAccess::new(vec![("files".into(), "x".into())], json!({ "path": value }), &root))
    };
    let whole = root.join("src/a").display().to_string();
    for value in [
        json!("src/a"),
        json!("./src/a"),
        json!("src/sub/../a"),
        json!("src/new"),
        json!(whole),
        json!(["src/a", "src/sub/b"]),
        json!(format!("file://{whole}")),
        json!("src/a%20b"),
    ] {
        assert!(pattern.certainly_matches(&call(value.clone()), &roots), "{value}");
        assert!(pattern.could_match(&call(value.clone()), &roots), "{value}");
    }
    for value in [
        json!("src\\a"),
        json!("src/../.git/config"),
        json!("src/../../x"),
        json!("src/out/passwd"),
        json!("/etc/passwd"),
        json!("docs/a"),
        json!("src/%2e%2e/x"),
        json!("src/..%2f..%2fx"),
        json!("src/%252e%252e/x"),
        json!("src\\..\\x"),
        json!("src/..\\..\\x"),
        json!("file:///etc/passwd"),
        json!("file:src/../../x"),
        json!("FILE:///etc"),
        json!("https://x/src/a"),
        json!("~/src/a"),
        json!("$HOME/src/a"),
        json!(["src/a", "/etc/passwd"]),
        json!([]),
        json!(["src/a", 1]),
        json!([["src/a"]]),
        json!({"a": "src/a"}),
        json!(1),
        json!(null),
        json!(""),
        json!(" /etc/passwd"),
        json!("src/a\u{0}"),
        json!("src/%ff"),
        json!("[\"/etc\"]"),
    ] {
        assert!(!pattern.certainly_matches(&call(value.clone()), &roots), "{value}");
    }
    // What could lead there is denied.
    for value in [
        json!("docs/../src/a"),
        json!("docs%2f..%2fsrc/a"),
        json!("src\\a"),
        json!(["docs/a", "src/a"]),
        json!("~/x"),
        json!(1),
        json!([]),
        json!(format!("file://{whole}")),
    ] {
        assert!(pattern.could_match(&call(value.clone()), &roots), "{value}");
    }
    assert!(!pattern.could_match(&call(json!("docs/a")), &roots));
    let two = Access::Mcp(McpAccess::new(
        vec![("files".into(), "x".into())],
        json!({"path": "src/a", "Path": "/etc"}),
        &root,
    ));
    assert!(!pattern.certainly_matches(&two, &roots));
}
