//! Calibration.
use super::*;
use cpu_time::ThreadTime;
use mayi_call::effort;

#[test]
#[ignore = "a measurement"]
fn measure() {
    let text = std::fs::read_to_string(std::env::var("HEAVY").unwrap()).unwrap();
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let request: Value = serde_json::from_str(line).unwrap();
        let mut rules: Vec<(Effect, String)> = Vec::new();
        for (word, effect) in [("allow", Allow), ("ask", Ask), ("deny", Deny)] {
            for text in request["rules"][word].as_array().into_iter().flatten() {
                rules.push((effect, text.as_str().unwrap().to_owned()));
            }
        }
        let mut policy = policy(&[]);
        for (effect, text) in rules {
            if let Ok(pattern) = Pattern::parse(&text, &places()) {
                policy.rules.push(Rule { pattern, ..rule(effect, "read(x)") });
            }
        }
        let policy = policy.with_indexes();
        std::fs::write("/proc/self/clear_refs", "5").ok();
        let before = kb("VmRSS");
        let begin = ThreadTime::now();
        let wall = std::time::Instant::now();
        let cwd = Path::new("/tmp/h2/w");
        let roots = [cwd.to_path_buf()];
        let (made, steps) = effort::steps_of(|| match request["kind"].as_str().unwrap() {
            "shell" => {
                let at = Surroundings { home: Some(Path::new(HOME)), ..Surroundings::new(cwd, &roots) };
                shell::line_accesses(request["command"].as_str().unwrap(), &at)
            }
            "mcp" => vec![Access::Mcp(McpAccess::new(
                vec![("s".into(), request["tool"].as_str().unwrap().into())],
                request["arguments"].clone(),
                cwd,
            ))],
            _ => vec![Access::Read(PathAccess::new(cwd, request["path"].as_str().unwrap_or("x")))],
        });
        let read_wall = wall.elapsed();
        let read = begin.elapsed();
        let mut call = call(Access::Mode { id: "x".into() });
        call.roots = roots.to_vec();
        call.accesses = made;
        let begin = ThreadTime::now();
        let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &Grants::default(), servers: &[] };
        let decision = decide(&policy, &call, &standing);
        let judged = begin.elapsed();
        let memory = kb("VmHWM") - before;
        let opaque = matches!(&call.accesses[0], Access::Shell(s) if !s.understood);
        rows.push((read.max(read_wall), judged, steps, memory, at, opaque, decision.trail.len(), LAST.get()));
    }
    let show = |row: &(std::time::Duration, std::time::Duration, u64, i64, usize, bool, usize, u64)| {
        let line: String = text.lines().nth(row.4).unwrap().chars().skip(60).take(150).collect();
        println!("{:?} {:?} steps {} {} KB #{} opaque {} trail {} decide-steps {} {line}", row.0, row.1, row.2, row.3, row.4, row.5, row.6, row.7);
    };
    println!("n {} read>80ms {} judged>80ms {} mem>50MB {}", rows.len(), rows.iter().filter(|r| r.0.as_millis() > 80).count(),
        rows.iter().filter(|r| r.1.as_millis() > 80).count(), rows.iter().filter(|r| r.3 > 50_000).count());
    rows.sort_by_key(|row| std::cmp::Reverse(row.0));
    println!("-- reading"); rows.iter().take(25).for_each(show);
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    println!("-- judging"); rows.iter().take(20).for_each(show);
    rows.sort_by_key(|row| std::cmp::Reverse(row.3));
    println!("-- memory"); rows.iter().take(12).for_each(show);
    let rate = |row: &&(std::time::Duration, std::time::Duration, u64, i64, usize, bool, usize, u64)| row.0.as_nanos() as u64 / row.2.max(1);
    let mut slow: Vec<_> = rows.iter().filter(|row| row.0.as_millis() > 5).collect();
    slow.sort_by_key(|row| std::cmp::Reverse(rate(row)));
    println!("-- ns a step"); slow.iter().take(20).for_each(|row| { print!("{} ", rate(row)); show(row) });
    let mut rates: Vec<u64> = slow.iter().map(rate).collect(); rates.sort();
    println!("median ns a step {:?} of {}", rates.get(rates.len() / 2), rates.len());
}

std::thread_local!(pub(super) static LAST: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });

fn kb(what: &str) -> i64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    text.lines().find(|line| line.starts_with(what)).unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}
