//! What holds after the process has left its store.

use super::memory::Kept as Stored;
use super::*;

fn read(id: &str) -> Call {
    call(id, Access::Read(PathAccess::new(Path::new("/w"), "a")))
}

/// A process may live on after its gate was left: what comes then is neither allowed unrecorded nor does it wait for
/// somebody who will never see it. Attack 262.
#[tokio::test]
async fn given_a_gate_that_was_left_then_nothing_runs_and_nothing_waits() {
    let kept = Stored::new();
    for gate in [kept.gate(), gate()] {
        let waiting = gate.submit(run("1", "make"), &[]);
        gate.leave();
        assert!(matches!(waiting.verdict().await, Verdict::Cancelled));
        let Verdict::Denied(refusal) = gate.submit(read("2"), &[]).verdict().await else {
            panic!("it ran, and no record says so")
        };
        assert!(refusal.reason.starts_with("nothing runs that can't be recorded"), "{}", refusal.reason);
        let asked = gate.submit(run("3", "make"), &[]);
        assert_eq!(asked.approval(), None, "nobody is here to answer it");
        assert!(matches!(asked.verdict().await, Verdict::Denied(_)));
        let asked = gate.submit_as(run("4", "make"), &[], OnAsk::Wait);
        assert_eq!(asked.approval(), None, "also where the door would wait");
    }
}
