//! mayi ends while an approval waits.

use std::os::unix::process::ExitStatusExt;

use mayi_tests::endpoint::Trouble;
use mayi_tests::{LIMIT, until};
use rustix::process::Signal;
use serde_json::json;

use crate::scene::{Scene, wants};

/// SIGTERM while an approval is pending: the app gets an error event. Nothing is approved.
#[test]
fn given_sigterm_while_an_approval_waits_then_the_app_is_told() {
    for stream in [true, false] {
        let mut scene = Scene::new(&[]);
        let reading = scene.begin(&wants(&json!([["search"]]), stream));
        scene.waits(1);
        assert_eq!(scene.signal(Signal::TERM).code(), Some(130));
        let got = reading.end();
        let error = if stream {
            let last = got.events().last().unwrap().clone();
            assert_eq!(last["type"], "error");
            last["error"].clone()
        } else {
            assert_eq!(got.status, 503, "{got:?}");
            got.json()["error"].clone()
        };
        assert_eq!(error["code"], "mayi_ended");
        assert_eq!((scene.endpoint.requests().len(), scene.ran().len()), (1, 0));
        scene.waits(0);
    }
}

/// S6.7, attack 511: SIGTERM once an approval was sent: nobody knows what became of it, and the app hears just that.
#[test]
fn given_sigterm_after_an_approval_was_sent_then_the_outcome_is_unknown() {
    for stream in [true, false] {
        let mut scene = Scene::new(&["--allow", "mcp(docs/*)"]);
        scene.endpoint.trouble(Trouble::Waits);
        let reading = scene.begin(&wants(&json!([["search"]]), stream));
        until(LIMIT, || if scene.ran().is_empty() { Err("it has not run".to_owned()) } else { Ok(()) });
        assert_eq!(scene.signal(Signal::TERM).code(), Some(130));
        let got = reading.end();
        let error = if stream {
            got.events().last().unwrap()["error"].clone()
        } else {
            assert!(got.status == 502 && got.head.contains("x-should-retry: false"), "{got:?}");
            got.json()["error"].clone()
        };
        assert_eq!(error["code"], "mayi_outcome_unknown", "{got:?}");
    }
}

/// Kill -9: the stream ends without a closing event [...]; nothing was approved upstream; the record says interrupted
/// at the next start.
#[test]
fn given_a_kill_while_an_approval_waits_then_the_stream_has_no_end_and_the_record_says_so() {
    let mut scene = Scene::new(&[]);
    let reading = scene.begin(&wants(&json!([["search"]]), true));
    scene.waits(1);
    assert_eq!(scene.signal(Signal::KILL).signal(), Some(9));
    let got = reading.end();
    assert!(!got.body.contains("response.completed") && !got.body.contains("event: error"), "{got:?}");
    assert_eq!((scene.endpoint.requests().len(), scene.ran().len()), (1, 0));
    scene.start_again();
    scene.recorded("interrupted");
    scene.waits(0);
}
