use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use mayi_call::shell::{self, Surroundings};
use mayi_call::{McpAccess, PathAccess, UrlAccess};

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text, &PatternBases { home: Some(PathBuf::from("/home/me")), ..PatternBases::default() })
        .unwrap()
}

fn roots() -> Vec<PathBuf> {
    vec![PathBuf::from("/w")]
}

fn write(path: &str) -> Access {
    Access::Write(WriteKind::Edit, PathAccess::new(Path::new("/w"), path))
}

fn shell(words: &[&str]) -> Access {
    let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    shell::argv_accesses(&words, &Surroundings::new(Path::new("/w"), &[])).remove(0)
}

/// Every access of a line.
fn line(text: &str) -> Vec<Access> {
    shell::line_accesses(text, &Surroundings::new(Path::new("/w"), &[]))
}

fn fetch(url: &str) -> Access {
    Access::Fetch(UrlAccess::parse(url).unwrap())
}

fn allows(text: &str, access: &Access) -> bool {
    pattern(text).certainly_matches(access, &roots())
}

fn concerns(text: &str, access: &Access) -> bool {
    pattern(text).could_match(access, &roots())
}

/// D3.5: gitignore-style path glob; without `/` it matches at any depth; `./`
/// anchors at the root; `/` and `~/` are absolute.
#[test]
fn given_path_globs_then_they_are_anchored_as_written() {
    assert!(allows("write(*.rs)", &write("src/deep/a.rs")));
    assert!(allows("write(src/**)", &write("src/deep/a.rs")));
    assert!(!allows("write(src/**)", &write("lib/src/a.rs")));
    assert!(!allows("write(./*.rs)", &write("src/a.rs")));
    assert!(allows("write(./*.rs)", &write("a.rs")));
    assert!(allows("write(/srv/x/*)", &write("/srv/x/y")));
    assert!(!allows("write(/srv/x/*)", &write("/srv/x/y/z")));
    assert!(allows("write(~/notes/**)", &write("/home/me/notes/a")));
    assert!(allows("write(src/)", &write("src/a/b")));
    assert!(!allows("write(src/**)", &write("src/../lib/a")));
}

/// D3.6: allow edits of files below the folder, never deleting or moving the folder itself: what a
/// formatter does to `.` is an edit of what lies below.
#[test]
fn given_a_root_of_which_everything_below_is_allowed_then_it_may_be_edited_and_nothing_else() {
    let root = |kind| Access::Write(kind, PathAccess::new(Path::new("/w"), "."));
    for text in ["write(./**)", "write(**)", "edit(./**)"] {
        assert!(allows(text, &root(WriteKind::Edit)), "{text}");
        for kind in [WriteKind::Delete, WriteKind::Move, WriteKind::Create, WriteKind::Write] {
            assert!(!allows(text, &root(kind)), "{text} {kind:?}");
        }
        for other in ["/", "..", "/v", "/w/.."] {
            assert!(!allows(text, &write(other)), "{text} {other}");
        }
    }
    for text in ["write(src/**)", "write(*.rs)", "write(./*)", "delete(./**)"] {
        assert!(!allows(text, &root(WriteKind::Edit)), "{text}");
    }
    assert!(!allows("write(src/**)", &write("src")));
}

#[test]
fn given_a_pattern_without_a_place_then_an_allow_stays_in_the_roots_and_a_denial_does_not() {
    assert!(!allows("write(*.rs)", &write("/etc/a.rs")));
    assert!(!allows("write(**)", &write("/etc/passwd")));
    assert!(concerns("write(**/.env)", &write("/srv/other/.env")));
    assert!(concerns("write(.env)", &write("/srv/other/.env")));
    assert!(concerns("write(secrets)", &write("secrets/deep/key")));
}

#[test]
fn given_a_kind_of_write_then_only_write_covers_them_all() {
    assert!(
        allows("edit(a)", &write("a"))
            && !allows("delete(a)", &write("a"))
            && allows("write(a)", &write("a"))
    );
    let unsaid = Access::Write(WriteKind::Write, PathAccess::new(Path::new("/w"), "a"));
    assert!(concerns("delete(a)", &unsaid) && !allows("delete(a)", &unsaid));
}

/// D3.7: words, matched against argv word by word; `*` inside a word matches
/// within that word; a last word `*` matches any remaining words, also none.
#[test]
fn given_words_then_they_match_word_by_word() {
    assert!(allows("shell(cargo test *)", &shell(&["cargo", "test"])));
    assert!(allows("shell(cargo test *)", &shell(&["cargo", "test", "-p", "x"])));
    assert!(!allows("shell(cargo test *)", &shell(&["cargo", "testament"])));
    assert!(allows("shell(npm run test:*)", &shell(&["npm", "run", "test:unit"])));
    assert!(!allows("shell(npm run test:*)", &shell(&["npm", "run", "test:unit", "x"])));
    assert!(!allows("shell(make)", &shell(&["make", "install"])));
    assert!(allows("shell(git commit -m 'a b')", &shell(&["git", "commit", "-m", "a b"])));
    assert!(!allows("shell(ls ?)", &shell(&["ls", "a"])));
}

/// D2.22: Deny and ask also match a command's base name (`/bin/rm`, `./rm`); allow
/// only the word as written.
#[test]
fn given_a_path_to_a_command_then_only_denials_match_its_base_name() {
    assert!(
        concerns("shell(rm *)", &shell(&["/bin/rm", "x"])) && concerns("shell(rm *)", &shell(&["./rm", "x"]))
    );
    assert!(!allows("shell(rm *)", &shell(&["/bin/rm", "x"])));
}

/// Attack 6.
#[test]
fn given_a_line_that_was_not_understood_then_denials_look_inside_and_no_allow_matches() {
    for text in ["make; rm x", "make && sudo rm -rf y", "echo $(rm x)", "X=1 rm x", "(rm x)"] {
        assert!(line(text).iter().any(|access| concerns("shell(rm *)", access)), "{text}");
    }
    for text in ["make; rm x; done", "select x in a; do rm x; done", "echo $(rm x; fi)"] {
        assert!(line(text).iter().any(|access| concerns("shell(rm *)", access)), "{text}");
        assert!(!line(text).iter().any(|access| allows("shell(*)", access)), "{text}");
    }
}

/// D3.8: anchored at both ends for allow and `unless`, unanchored for ask and deny.
#[test]
fn given_a_regular_expression_then_allow_is_anchored() {
    assert!(allows("shell(/git (status|log)/)", &shell(&["git", "log"])));
    assert!(!allows("shell(/git (status|log)/)", &shell(&["git", "log", "--output=x"])));
    assert!(concerns("shell(/--force/)", &shell(&["git", "push", "--force"])));
    assert!(!allows("shell(/a|b/)", &shell(&["b", "c"])));
}

/// Attack 11: "`*` in `unless` does not cover options".
#[test]
fn given_unless_then_a_last_star_covers_no_options() {
    let unless = pattern("shell(git push --dry-run *)");
    assert!(unless.excepts(&shell(&["git", "push", "--dry-run", "origin", "main"]), &roots()));
    assert!(!unless.excepts(&shell(&["git", "push", "--dry-run", "--no-dry-run", "origin"]), &roots()));
}

/// D8: the two rows about `fetch`.
#[test]
fn given_hosts_then_denials_cover_subdomains_and_allows_do_not() {
    let sub = fetch("https://sub.example.com/");
    assert!(concerns("fetch(example.com)", &sub) && !allows("fetch(example.com)", &sub));
    assert!(concerns("fetch(example.com)", &fetch("ftp://example.com:2121/")));
    assert!(allows("fetch(example.com)", &fetch("https://example.com/x")));
    for other in ["https://example.com:8443/", "ftp://example.com/", "https://notexample.com/"] {
        assert!(!allows("fetch(example.com)", &fetch(other)), "{other}");
    }
    assert!(allows("fetch(*.example.com)", &fetch("https://a.b.example.com/")));
    assert!(!allows("fetch(*.example.com)", &fetch("https://example.com/")));
    assert!(allows("fetch(https://docs.rs/serde/*)", &fetch("https://docs.rs/serde/1/x")));
    assert!(!allows("fetch(https://docs.rs/serde/*)", &fetch("https://docs.rs.evil.com/serde/1")));
}

/// A port or an address instead of a name means what it says, or is refused; it is never a rule that
/// matches nothing.
#[test]
fn given_a_port_or_an_address_then_it_matches_as_written() {
    assert!(concerns("fetch(localhost:3000)", &fetch("http://localhost:3000/x")));
    assert!(!concerns("fetch(localhost:3000)", &fetch("http://localhost:3001/x")));
    assert!(allows("fetch(localhost:3000)", &fetch("http://localhost:3000/x")));
    assert!(!allows("fetch(localhost:3000)", &fetch("http://localhost/")));
    assert!(allows("fetch(example.com:443)", &fetch("https://example.com/")));
    assert!(
        concerns("fetch([::1])", &fetch("http://[::1]:8080/"))
            && allows("fetch([::1])", &fetch("http://[0:0::1]/"))
    );
    assert!(concerns("fetch(127.1)", &fetch("http://127.0.0.1/")));
    for text in ["fetch(::1)", "fetch(localhost:x)", "fetch(a@b)", "fetch(a%b)", "fetch(a\\b)"] {
        assert!(Pattern::parse(text, &PatternBases::default()).is_err(), "{text}");
    }
}

/// What programs read differently is no host that was allowed, and each that may be denied. Attack 69.
#[test]
fn given_an_address_of_two_readings_then_no_allow_matches_and_denials_match_each() {
    let two = fetch("https://github.com\\@evil.example/");
    assert!(
        !allows("fetch(github.com)", &two)
            && !allows("fetch(evil.example)", &two)
            && !allows("fetch(*)", &two)
    );
    assert!(concerns("fetch(github.com)", &two) && concerns("fetch(evil.example)", &two));
}

/// D1.23: where a joined name can be split in several ways, every split counts for
/// deny and ask, none for allow. Attack 7.
#[test]
fn given_a_name_with_several_readings_then_denials_match_each_and_no_allow_does() {
    let two = Access::Mcp(McpAccess::new(
        vec![("a".into(), "b__c".into()), ("a__b".into(), "c".into())],
        json!({}),
        Path::new("/w"),
    ));
    assert!(concerns("mcp(a/*)", &two) && concerns("mcp(a__b/c)", &two));
    assert!(!allows("mcp(*)", &two) && !allows("*", &two));
}

/// D3.12: missing or other-typed arguments match deny and ask, never allow.
#[test]
fn given_argument_globs_then_a_missing_argument_is_caution() {
    let pattern = Pattern::with_args(
        "mcp(github/*)",
        Some(BTreeMap::from([("repo".to_owned(), "me/*".to_owned())])),
        &PatternBases::default(),
    )
    .unwrap();
    let call = |arguments| {
        Access::Mcp(McpAccess::new(vec![("github".into(), "x".into())], arguments, Path::new("/w")))
    };
    assert!(pattern.certainly_matches(&call(json!({"repo": "me/x"})), &roots()));
    for arguments in [json!({"repo": "you/x"}), json!({}), json!({"repo": 1})] {
        assert!(!pattern.certainly_matches(&call(arguments), &roots()));
    }
    assert!(
        pattern.could_match(&call(json!({})), &roots())
            && pattern.could_match(&call(json!({"repo": 1})), &roots())
    );
    assert!(!pattern.could_match(&call(json!({"repo": "you/x"})), &roots()));
}

/// Attack 127: a server that reads names without their case takes one of the two, and which one is its own affair.
#[test]
fn given_an_argument_in_two_spellings_then_denials_match_each_and_no_allow_does() {
    let pattern = Pattern::with_args(
        "mcp(files/*)",
        Some(BTreeMap::from([("path".to_owned(), "src/*".to_owned())])),
        &PatternBases::default(),
    )
    .unwrap();
    let call = |arguments| {
        Access::Mcp(McpAccess::new(vec![("files".into(), "x".into())], arguments, Path::new("/w")))
    };
    for arguments in [
        json!({"path": "src/a", "Path": "etc/b"}),
        json!({"PATH": "etc/b", "path": "src/a"}),
        json!({"path": "src/a", "pa\u{200d}th": "etc/b"}),
        json!({"path": "etc/b", "Path": "src/a"}),
    ] {
        assert!(!pattern.certainly_matches(&call(arguments.clone()), &roots()), "{arguments}");
        assert!(pattern.could_match(&call(arguments.clone()), &roots()), "{arguments}");
    }
    assert!(!pattern.could_match(&call(json!({"path": "etc/a", "Path": "etc/b"})), &roots()));
}

/// D1.24: Names outside `[A-Za-z0-9._-]` are ... never matched by an allow. Attack 7.
#[test]
fn given_a_name_of_other_characters_then_no_allow_matches() {
    let odd =
        Access::Mcp(McpAccess::new(vec![("gith\u{443}b".into(), "x".into())], json!({}), Path::new("/w")));
    assert!(!allows("mcp(*)", &odd) && concerns("mcp(*)", &odd));
}

#[test]
fn given_a_mode_switch_then_no_allow_matches() {
    let mode = Access::Mode { id: "bypassPermissions".into() };
    assert!(!allows("mode(*)", &mode) && !allows("*", &mode) && concerns("mode(bypass*)", &mode));
}

#[test]
fn given_a_broken_pattern_then_the_error_says_what_to_write() {
    for (text, hint) in [
        ("shell", "selector(argument)"),
        ("shel(x)", "no selector is called `shel`"),
        ("shell()", "needs an argument"),
        ("read(!x)", "unless"),
        ("shell('x)", "quotes"),
        ("shell(/(/)", "regular expression"),
        ("fetch(a b)", "docs.rs"),
        ("read([)", "path glob"),
    ] {
        let error = Pattern::parse(text, &PatternBases::default()).unwrap_err().to_string();
        assert!(error.contains(hint), "{text}: {error}");
    }
}

/// A wildcard of the path never reaches into the host, and a host of a URL is one host. Attack 48.
#[test]
fn given_a_url_with_wildcards_then_they_stay_in_their_part() {
    for other in
        ["https://evil.com/x.example.com/steal", "http://a.example.com/x", "https://a.example.com:8/x"]
    {
        assert!(!allows("fetch(https://*.example.com/*)", &fetch(other)), "{other}");
    }
    assert!(allows("fetch(https://*.example.com/*)", &fetch("https://a.example.com/x?y")));
    assert!(concerns("fetch(https://example.com/*)", &fetch("https://example.com./a")));
    for text in
        ["fetch(https://exa*.com/)", "fetch(*://example.com/)", "fetch(https://)", "fetch(https://a@b/)"]
    {
        assert!(Pattern::parse(text, &PatternBases::default()).is_err(), "{text}");
    }
}

/// What a session allows is exactly what was shown: names with odd characters stay themselves. Attack 49.
#[test]
fn given_a_name_with_odd_characters_then_its_exact_pattern_matches_it_alone() {
    for name in ["a ", "a*b", "a[x]", "a{b,c}", "a\\b", "!a", "a?"] {
        let access = write(name);
        let Access::Write(_, path) = &access else { panic!() };
        let pattern = Pattern::exact_path(Selector::Write(WriteKind::Write), &path.lexical, false).unwrap();
        assert!(pattern.certainly_matches(&access, &roots()), "{name:?}");
        for other in ["a", "ab", "axb", "a/b", "ax", "ac"] {
            assert!(!pattern.certainly_matches(&write(other), &roots()), "{name:?} {other}");
        }
    }
}

/// D2.21: Wrappers ...: deny and ask reach inside. Attack 40.
#[test]
fn given_a_wrapper_then_denials_reach_inside() {
    for words in [
        &["sudo", "/bin/rm", "x"][..],
        &["timeout", "5", "rm", "x"],
        &["command", "rm", "x"],
        &["eval", "rm x"],
        &["env", "A=b", "rm", "x"],
        &["sh", "-c", "cd y; rm x", "arg"],
        &["xargs", "rm"],
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let all = shell::argv_accesses(&words, &Surroundings::new(Path::new("/w"), &[]));
        assert!(all.iter().any(|access| concerns("shell(rm *)", access)), "{words:?}");
    }
    assert!(!concerns("shell(rm *)", &shell(&["echo", "rm", "x"])));
}

/// Attack 72: a file of a repository is read before anybody has looked at it.
#[test]
fn given_patterns_made_to_be_slow_then_they_are_quick_or_refused() {
    let long = "a".repeat(9_000);
    let command = shell(&["x", &long]);
    let address = fetch(&format!("https://a.example/{long}"));
    let path = write(&format!("/w/{}", "a/".repeat(1_900)));
    for (text, access) in [
        ("shell(/(a*)*b/)", &command),
        ("shell(/(x+x+)+y|(a|a)*$/)", &command),
        ("shell(x *a*a*a*a*a*a*a*a*b)", &command),
        ("fetch(https://*.example/*a*a*a*a*a*b)", &address),
        ("write(**/a/**/a/**/a/**/b)", &path),
    ] {
        let pattern = pattern(text);
        let once = |_| {
            let begun = cpu_time::ThreadTime::now();
            std::hint::black_box((
                pattern.certainly_matches(access, &roots()),
                pattern.could_match(access, &roots()),
            ));
            begun.elapsed().as_millis()
        };
        // The quickest of some: other tests run at the same time.
        assert!((0..5).map(once).min().unwrap() < 1000, "{text}");
    }
    for text in [
        "shell(/((a{999}){999}){999}/)".to_owned(),
        r"shell(/(\w{60}){60}/)".to_owned(),
        format!("read({})", "{a,b}".repeat(30)),
    ] {
        assert!(Pattern::parse(&text, &PatternBases::default()).is_err(), "{text}");
    }
}

/// D3.9; attack 246.
#[test]
fn given_a_last_word_that_ends_in_a_star_then_a_denial_covers_further_words_and_an_allow_does_not() {
    let shell = |line: &str| {
        let roots = roots();
        mayi_call::shell::line_accesses(line, &mayi_call::Surroundings::new(Path::new("/w"), &roots))
            .remove(0)
    };
    for (pattern, one, further, others) in [
        ("shell(touch*)", "touch", vec!["touch a", "touch a b", "/bin/touch a b", "touchy a b"], "tou ch"),
        (
            "shell(git push*)",
            "git push",
            vec!["git push origin main", "git push --force", "git pushy x"],
            "git pull push",
        ),
        ("shell(npm run build:*)", "npm run build:x", vec!["npm run build:x -- y"], "npm run test build:x"),
    ] {
        let parsed = Pattern::parse(pattern, &PatternBases::default()).unwrap();
        for line in further.iter().chain([&one]) {
            assert!(parsed.could_match(&shell(line), &roots()), "{pattern}: {line}");
        }
        assert!(!parsed.could_match(&shell(others), &roots()), "{pattern}: {others}");
        assert!(parsed.certainly_matches(&shell(one), &roots()), "{pattern}: {one}");
        for line in further {
            assert!(!parsed.certainly_matches(&shell(line), &roots()), "{pattern}: {line}");
            assert!(!parsed.excepts(&shell(line), &roots()), "{pattern}: {line}");
        }
    }
}

mod arguments;

/// D1.23: a deny or an ask for a name also holds for it as harnesses write it in a joined one. Attack 714.
#[test]
fn given_a_joined_name_as_harnesses_write_it_then_denials_of_the_true_one_match() {
    let called = |server: &str, tool: &str| {
        Access::Mcp(McpAccess::new(vec![(server.into(), tool.into())], json!({}), Path::new("/w")))
    };
    for (text, server, tool) in [
        ("mcp(my.server/*)", "my_server", "x"),
        ("mcp(my.server)", "my_server", "x"),
        ("mcp(My.Server/wipe)", "my_server", "wipe"),
        ("mcp(my server/*)", "my_server", "x"),
        ("mcp(my-server/*)", "my_server", "x"),
        ("mcp(a.b-c/*)", "a_b-c", "x"),
        ("mcp(a.b-c/*)", "a_b_c", "x"),
        ("mcp(a.. b/*)", "a_b", "x"),
        ("mcp(io.github.me/server/wipe)", "io_github_me_server", "wipe"),
        ("mcp(io.github.me/server/*)", "io_github_me_server", "x"),
        ("mcp(@me/server/*)", "_me_server", "x"),
        ("mcp(s/files.wipe)", "s", "files_wipe"),
        ("mcp(s/wipe-all)", "s", "wipe_all"),
        ("mcp(s/admin/wipe)", "s", "admin_wipe"),
        ("mcp(*/files.wipe)", "s", "files_wipe"),
        ("mcp({my.server,x}/*)", "my_server", "x"),
        ("mcp(my.*/x)", "my_server", "x"),
        ("mcp(überall/*)", "_berall", "x"),
    ] {
        let pattern = pattern(text);
        assert!(pattern.could_match(&called(server, tool), &[]), "{text} {server}/{tool}");
        assert!(!pattern.certainly_matches(&called(server, tool), &[]), "{text} {server}/{tool}");
    }
    for (text, server, tool) in [
        ("mcp(my.server/*)", "myserver", "x"),
        ("mcp(my.server/*)", "my", "server"),
        ("mcp(my.server/*)", "my_servers", "x"),
        ("mcp(my_server/*)", "my.server", "x"),
        ("mcp(s/files.wipe)", "s", "files_read"),
        ("mcp(s/a-[x-z])", "s", "a_b"),
    ] {
        assert!(!pattern(text).could_match(&called(server, tool), &[]), "{text} {server}/{tool}");
    }
}
