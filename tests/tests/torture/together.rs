//! Many processes on one record.

use mayi_tests::{Machine, Running};

use super::gateway::Gateway;
use super::laws::{Seen, called};
use super::{Clock, random};

/// As many gateways, each with so many calls.
const GATEWAYS: usize = 12;
const CALLS: usize = 60;

/// "Concurrency": every call of every gateway goes through once and has its entries, beside runs, readers and checks of the
/// record; numbers have no gaps, and nobody is told that the record is locked.
#[test]
fn given_many_processes_on_one_record_then_all_go_through() {
    let (clock, mut random, machine) = (Clock::new(), random("together"), Machine::new());
    let mut rounds = 0;
    loop {
        let mut gateways: Vec<Gateway> = (0..GATEWAYS).map(|_| Gateway::start(&machine, &[])).collect();
        let others: [Vec<&str>; 5] = [
            vec!["run", "demo", "--mode", "auto", "demo: write a x ;; demo: run true ;; demo: edit a"],
            vec!["run", "demo", "demo: say x"],
            vec!["inbox"],
            vec!["log", "--all", "--json"],
            vec!["check", "shell", "ls"],
        ];
        let others: Vec<Running> = others.into_iter().map(|words| machine.mayi(words).start()).collect();
        for (at, gateway) in gateways.iter_mut().enumerate() {
            // Some at once, some one after the other.
            let bunch = 1 + random.below(16);
            for call in 0..CALLS {
                assert!(gateway.call(&format!("t-{rounds}-{}", at * CALLS + call)));
                if call % bunch == 0 {
                    assert!(gateway.answer().unwrap().1);
                }
            }
        }
        for other in others {
            let _ = other.end().exits(0);
        }
        for gateway in gateways {
            gateway.end();
        }
        rounds += 1;
        let (seen, calls) = (Seen::of(&machine), called(&machine));
        assert_eq!(calls.len(), rounds * GATEWAYS * CALLS);
        seen.covers("a call reached the server", &calls);
        if !clock.goes_on() {
            println!("together: {rounds} rounds, {} calls, {} entries, none lost", calls.len(), seen.entries);
            return;
        }
    }
}
