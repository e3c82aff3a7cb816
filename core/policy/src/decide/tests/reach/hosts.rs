//! Addresses without a sound host: what other programs make of them can't be told.

use super::*;

/// What no standard takes for a host, and a program may.
const ODD: &[&str] = &[
    "xn--x-.internal",
    "xn--.internal",
    "xn--a.internal",
    "a.xn--zzzz-.internal",
    "x.internal\0",
    "x.internal\0.docs.rs",
    "x.internal%00",
    "x.internal%00.docs.rs",
    "x.internal%2f.docs.rs",
    "x.internal%2Fdocs.rs",
    "x.internal%5c.docs.rs",
    "x.internal%40docs.rs",
    "x.internal%3a80.docs.rs",
    "x.internal%20",
    "x.internal%0a.docs.rs",
    "x.internal%",
    "%zz.internal",
    "x.internal<",
    "x.internal^a",
    "x.internal|a",
    "x internal",
    "{x,y}.internal",
    "x..internal",
    ".x.internal",
    "[::ffff:x.internal]",
    "[x.internal]",
    "[::1",
    "[fe80::1%25eth0]",
    "1.2.3.999",
    "0x100000000",
    "x.internal:99999",
    "x.internal:80:90",
    "x.internal:abc",
    "$(x).internal",
    "x*.internal",
    "x,y.internal",
    "x'.internal",
];

fn addresses() -> Vec<String> {
    let mut found = Vec::new();
    for host in ODD {
        for scheme in ["http", "https", "HTTP", "ftp", "ws"] {
            for user in ["", "u@", "u:p@"] {
                for rest in ["", "/", "/a?b=c#d"] {
                    found.push(format!("{scheme}://{user}{host}{rest}"));
                }
            }
        }
    }
    found
}

fn read(text: &str) -> Call {
    call(Access::Fetch(UrlAccess::parse_lenient(text).unwrap()))
}

fn bypassed(policy: &Policy, call: &Call) -> Decision {
    loosest(policy, call)
}

/// An address without a sound host is denied where any host is, asked about where any is, and allowed by no wildcard.
/// Attack 230.
#[test]
fn given_an_address_without_a_sound_host_then_it_is_denied_where_any_is_and_never_allowed() {
    let denied = policy(&[(Allow, "fetch(*)"), (Allow, "*"), (Deny, "fetch(*.other.example)")]);
    let asked = policy(&[(Allow, "fetch(*)"), (Ask, "fetch(https://other.example/x/*)")]);
    let allowed = policy(&[(Allow, "fetch(*)"), (Allow, "fetch(*.internal)"), (Allow, "*")]);
    let addresses = addresses();
    assert!(addresses.len() >= 1_000);
    let mut wrong = Vec::new();
    for address in &addresses {
        let call = read(address);
        let (a, b, c) = (bypassed(&denied, &call), bypassed(&asked, &call), bypassed(&allowed, &call));
        if a.effect != Deny || b.effect != Ask || c.effect != Ask || !c.always_asks() {
            wrong.push(format!("{address:?}: {} {} {}", a.effect, b.effect, c.effect));
        }
    }
    held(&wrong, addresses.len(), 1_000);
    // Nothing that a scheme stands before is an address.
    for text in ["http://", "https:///x", "x.internal", "data:text/plain,x", "", "file://[x/etc"] {
        assert!(
            UrlAccess::parse_lenient(text).is_err()
                || UrlAccess::parse_lenient(text).unwrap().other_host.is_some(),
            "{text}"
        );
    }
}

/// The same among the words of a command. Attack 230.
#[test]
fn given_an_address_without_a_sound_host_among_the_words_then_it_is_denied_where_any_is() {
    let scene = Scene::new();
    let policy = scene.denying(&["fetch(other.example)"]);
    let forms =
        ["curl '{}'", "curl -s --url='{}'", "wget -q '{}'", "git clone '{}'", "tool --u='{}'", "tool '{}' x"];
    let odd = ODD.iter().filter(|host| !host.contains(['\'', '\0', ' ']));
    let lines = odd.flat_map(|host| forms.map(|form| form.replace("{}", &format!("http://{host}/x"))));
    let lines: Vec<String> = lines.chain(["curl xn--x-.internal/x".to_owned()]).collect();
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect == Deny), count, 190);
}

/// Sound addresses are judged as before, and text that looks like an address is text. Attack 230.
#[test]
fn given_sound_addresses_then_they_are_judged_as_before() {
    let policy = policy(&[(Allow, "fetch(*)"), (Allow, "shell(*)"), (Deny, "fetch(other.example)")]);
    for host in [
        "docs.rs",
        "docs.rs.",
        "DOCS.rs",
        "localhost:3000",
        "127.0.0.1",
        "[::1]:80",
        "a_b.example",
        "xn--bcher-kva.example",
        "bücher.example",
        "0x7f.1",
        "u:p@docs.rs",
        "a-b.c-d.example:8443",
        "r3---sn-x.example",
    ] {
        for scheme in ["http", "https"] {
            let text = format!("{scheme}://{host}/a?b=c#d");
            assert_eq!(effect(&policy, &fetch(&text)), Allow, "{text}");
        }
    }
    let scene = Scene::new();
    let policy = scene.denying(&["fetch(other.example)"]);
    let lines = [
        "curl https://docs.rs/",
        "curl 'https://docs.rs/x?a=b&c={d}'",
        "curl localhost:3000/a=b",
        "grep -rn 'http://[^/]*' src",
        "grep -rn 'https\\?://' src",
        "rg 'https?://%s' src",
        "echo 'http://{a,b}/'",
        "printf '%s\\n' 'http://%s/'",
        "git commit -m 'see http://{host}/ and http://%s'",
        "sed -n 's#http://#https://#p' src/a.rs",
        "git clone git@h.example:a/b.git",
    ];
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect == Allow), 11, 11);
}

/// D2.28, attack 77: a reader that looks a name up sends it to a server, with whatever stands in it.
#[test]
fn given_a_reader_that_looks_a_name_up_then_it_is_no_reader() {
    let (none, denying) = (policy(&[]), policy(&[(Deny, "fetch(evil.example)")]));
    let filters = [
        "dst NAME",
        "src NAME",
        "NAME",
        "'dst NAME'",
        "dst NAME:80",
        "dst = NAME",
        "'( dst NAME or sport = :22 )'",
        "state established dst NAME",
        "not dst NAME",
    ];
    let options = ["", "-t ", "-tn ", "-tanp ", "-H -t ", "-4 ", "state all "];
    let names =
        ["evil.example", "data.evil.example", "x", "a-b.evil.example", "xn--e1a.example", "0x7f.1.example"];
    let mut lines = Vec::new();
    for name in names {
        for option in options {
            lines.extend(filters.map(|filter| format!("ss {option}{}", filter.replace("NAME", name))));
            lines.extend(
                ["-i@NAME", "-iTCP@NAME:80", "-n -i@NAME", "-nP -i UDP@NAME", "-i4tcp@NAME:1-9"].map(
                    |filter| {
                        format!(
                            "lsof {} {}",
                            option.trim_end().replace("state all", "").replace("-H -t", "-t"),
                            filter.replace("NAME", name)
                        )
                    },
                ),
            );
        }
    }
    assert!(lines.len() > 500, "{}", lines.len());
    let wrong: Vec<_> =
        lines.iter().filter(|line| in_mode(&none, &shell(line), Mode::Plan).effect == Allow).collect();
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(20)]);
    assert_ne!(in_mode(&denying, &shell("ss dst evil.example"), Mode::Auto).effect, Allow);
    // Names that stand in a file.
    for line in [
        "who --lookup utmp",
        "who -m --lookup f",
        "who --look f",
        "last -d -f utmp",
        "last --dns -f utmp",
        "last -adf f",
    ] {
        assert_ne!(in_mode(&none, &shell(line), Mode::Plan).effect, Allow, "{line}");
    }
    for line in [
        "ss",
        "ss -tlnp",
        "ss -tlnp 'sport = :8080'",
        "ss -t dst 10.0.0.1",
        "ss -ltn sport = :443",
        "ss state established",
        "who -a",
        "last -n 5",
        "lsof -t -i :8080",
        "lsof -n -i TCP",
        "lsof -nP -iTCP:3000 -sTCP:LISTEN",
        "lsof -n -i@127.0.0.1:80",
    ] {
        assert_eq!(in_mode(&none, &shell(line), Mode::Plan).effect, Allow, "{line}");
    }
}

/// D2.28: no name is looked up: addresses of connections and groups are, unless they are told as numbers. Attack 602.
#[test]
fn given_a_reader_of_connections_then_it_reads_only_where_it_tells_numbers() {
    let none = policy(&[]);
    let mut lines: Vec<String> = Vec::new();
    for rest in ["", " -a", " -p", " -r", " -f inet", " -i", " -s"] {
        for groups in ["-g", "--groups"] {
            lines.push(format!("netstat {groups}{rest}"));
        }
    }
    for line in [
        "netstat",
        "netstat -r",
        "netstat -ir",
        "netstat -s -r",
        "netstat -ig",
        "lsof",
        "lsof -i",
        "lsof -i :80",
    ] {
        lines.push(line.to_owned());
    }
    for line in [
        "lsof -p 1",
        "lsof -c x",
        "lsof -u x -U",
        "lsof -d 3",
        "lsof -i a.txt",
        "lsof -P -i",
        "lsof -i@10.0.0.1",
    ] {
        lines.push(line.to_owned());
    }
    let wrong: Vec<_> =
        lines.iter().filter(|line| in_mode(&none, &shell(line), Mode::Plan).effect == Allow).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for line in [
        "netstat -gn",
        "netstat -tlnp",
        "netstat -rn",
        "netstat -i",
        "netstat -s",
        "lsof -n -i",
        "lsof -nP -p 1",
        "lsof -ti :80",
        "lsof -U",
        "lsof a.txt",
        "lsof -t a.txt",
    ] {
        assert_eq!(in_mode(&none, &shell(line), Mode::Plan).effect, Allow, "{line}");
    }
}
