//! Processes that are killed while they write.

use std::time::{Duration, Instant};

use mayi_tests::random::Random;

use super::{Data, verify, wrong};

/// So often a process is killed.
const KILLS: u64 = 100;

/// D7.6: An allow is on disk before the agent hears of it: whatever was told is there, after any
/// kill; and at most what was under way besides.
#[test]
fn given_processes_that_are_killed_then_all_that_was_told_is_there() {
    let data = Data::new();
    // How far each comes is the machine's doing; how far it is to come is the same each time.
    let mut chance = Random(0);
    let (mut told, mut untold) = (0, 0);
    for kill in 0..KILLS {
        let name = format!("worker-{kill}");
        let mut worker = data.worker(&["append", &name, "1000000"]);
        let random = chance.number();
        worker.begin();
        for _ in 0..random % 8 {
            worker.line().unwrap();
        }
        // Anywhere within the next commit or two.
        let moment = Duration::from_micros((random >> 32) % 700);
        let begin = Instant::now();
        while begin.elapsed() < moment {
            std::hint::spin_loop();
        }
        let lines = worker.kill().len() as u64 + random % 8;
        let there = data.numbers(&name);
        let commits = there.len() as u64 / 2;
        let pairs: Vec<u64> = (1..=commits).flat_map(|number| [number, number]).collect();
        assert_eq!(there, pairs, "each commit is there as a whole, in order");
        assert!(commits == lines || commits == lines + 1, "told {lines}, there are {commits}");
        told += lines;
        untold += commits - lines;
        if kill % 10 == 0 {
            assert_eq!(wrong(&data.path()), [""; 0]);
        }
    }
    let report = verify(&data.open());
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.entries, 2 * (told + untold));
    println!("{told} commits were told, {untold} more were there after {KILLS} kills");
}

/// The same where several write, and one of them is killed: the others go on at once.
#[test]
fn given_one_of_two_processes_killed_then_the_other_goes_on() {
    let data = Data::new();
    let mut staying = data.worker(&["append", "staying", "400"]);
    staying.begin();
    for round in 0..10 {
        let name = format!("killed-{round}");
        let mut killed = data.worker(&["append", &name, "1000000"]);
        killed.begin();
        killed.line().unwrap();
        killed.kill();
    }
    assert_eq!(staying.end().len(), 400);
    assert_eq!(wrong(&data.path()), [""; 0]);
}

/// Attack 310: an older head is put back. One commit behind it is what a kill leaves, and the next process mends it; behind two,
/// of which the end is gone besides, no process appends, and `verify` tells of it after each of them.
#[test]
fn given_an_older_head_put_back_then_the_next_process_mends_one_commit_and_refuses_two() {
    let data = Data::new();
    let head = data.path().join("head");
    let append = |name: &str| {
        let mut worker = data.worker(&["append", name, "1"]);
        worker.begin();
        worker.rest()
    };
    assert_eq!(append("first"), ["1"]);
    let first = std::fs::read(&head).unwrap();
    assert_eq!(append("second"), ["1"]);
    std::fs::write(&head, &first).unwrap();
    assert_eq!(append("third"), ["1"], "one commit behind is mended");
    assert_eq!(wrong(&data.path()), [""; 0]);

    // The head of the first of four, and the last of these is gone.
    let three = std::fs::read(data.path().join("store.db")).unwrap();
    assert_eq!(append("fourth"), ["1"]);
    std::fs::write(data.path().join("store.db"), three).unwrap();
    std::fs::write(&head, &first).unwrap();
    for name in ["fifth", "sixth"] {
        let said = append(name).join("\n");
        assert!(said.contains("more than one commit stands behind entry 2"), "{said}");
        assert_eq!(wrong(&data.path()).len(), 1);
        assert!(wrong(&data.path())[0].contains("older"), "{:?}", wrong(&data.path()));
    }
}
