//! "An answer within 50 ms": what is made to hurt, from the line or the path to the decision.

use criterion::Criterion;
use mayi_check::{Checker, Request};
use mayi_core::config::Sources;
use serde_json::{Value, json};

use crate::common::{Machine, Outcome};

fn requests() -> Vec<(&'static str, Value)> {
    let shell = |line: String| json!({ "kind": "shell", "command": line });
    let circle = json!({ "kind": "read", "path": "circle/x" });
    vec![
        ("10 KB line", shell("echo some words; ".repeat(10_240 / 17))),
        ("10 KB word", shell(format!("echo {}", "a".repeat(10_200)))),
        ("400 nested braces", shell(format!("{}x{}", "{ ".repeat(400), "; }".repeat(400)))),
        ("60 nested braces", shell(format!("{}x{}", "{ ".repeat(60), "; }".repeat(60)))),
        ("30 nested substitutions", shell(format!("{}x{}", "echo $(".repeat(30), ")".repeat(30)))),
        ("20,000 ands", shell(vec!["true"; 20_001].join(" && "))),
        ("brace expansion", shell(format!("echo {}", "{a,b}".repeat(30)))),
        ("name of a denial 2,000 times", shell(format!("[[ foo{} ]]", " rm".repeat(2_000)))),
        ("path of 5,000 parts", json!({ "kind": "write", "path": "a/".repeat(5_000) })),
        ("path of 5,000 parents", json!({ "kind": "write", "path": "../".repeat(5_000) })),
        ("cat of 5,000 parts", shell(format!("cat {}", "a/".repeat(5_000)))),
        ("links in a circle", circle),
        ("1 MB line", shell("echo some words; ".repeat(60_000))),
    ]
}

pub(crate) fn answering(criterion: &mut Criterion, machine: &Machine) -> Outcome<()> {
    #[cfg(unix)]
    for (target, name) in [("other", "circle"), ("circle", "other")] {
        std::os::unix::fs::symlink(target, machine.work.join(name))?;
    }
    let mut checker = Checker::new(Sources { cwd: machine.work.clone(), ..Sources::default() }, true);
    let mut group = criterion.benchmark_group("hostile");
    group.sample_size(10);
    for (name, request) in requests() {
        let line = request.to_string();
        group.bench_function(name, |bencher| {
            bencher.iter(|| Request::from_json(&line).map(|request| checker.decide(&request)));
        });
    }
    group.finish();
    Ok(())
}
