//! What comes through the gateway is what the server said.

use serde_json::Value;

use crate::ground::{Ground, Way};
use crate::raw::{self, Answer};
use crate::sdk;
use crate::servers::Server;

/// Members of a result that belong to the era of 2026-07-28, which a gateway adds for a server of the one before.
const OF_THE_LATER_ERA: &[&str] = &["resultType", "ttlMs", "cacheScope", "_meta"];

/// Asks a server directly and through the gateway, and compares what was written, byte for byte.
fn same_to_the_byte(server: Server) {
    let ground = Ground::new();
    let [direct, through] = [Way::Direct, Way::Gateway].map(|way| {
        let line = Ground::reached(way, server.name(), &server.fresh(&ground));
        raw::session(ground.start(&line), &server.requests(&ground))
    });
    let results = direct.iter().filter(|answer| matches!(answer, Answer::Result(_))).count();
    assert!(results > 2, "there is something to compare: {direct:?}");
    greets_alike(&direct[0].value(), &through[0].value());
    let requests = server.requests(&ground);
    for ((direct, through), request) in direct.iter().zip(&through).skip(1).zip(&requests) {
        assert_eq!(direct, through, "{request:?}");
    }
    assert_eq!(direct.len(), through.len());
    let bytes: usize = direct.iter().skip(1).map(|answer| answer.text().len()).sum();
    println!("{}: {} answers of {bytes} bytes are the same", server.name(), direct.len() - 1);
    ground.is_quiet();
}

/// The same with the Python SDK as the client: with a session, and as it begins when it is left to itself.
fn same_for_the_sdk(server: Server) {
    let ground = Ground::new();
    for mode in ["legacy", "auto"] {
        let [direct, through] = [Way::Direct, Way::Gateway].map(|way| {
            let line = Ground::reached(way, server.name(), &server.fresh(&ground));
            sdk::stdio(&ground, mode, &line, &asked_in_both_eras(server, &ground))
        });
        let version = |answers: &[Value]| answers[0]["result"]["version"].clone();
        if version(&direct) == version(&through) {
            assert_eq!(direct[1..], through[1..], "{mode}");
            greets_alike(&direct[0]["result"], &through[0]["result"]);
        } else {
            // The gateway speaks the later era for a server that does not (S5.1), to a client that loses nothing by it.
            assert_eq!((mode, version(&through)), ("auto", "2026-07-28".into()));
            assert_eq!(without_era(&direct[1..]), without_era(&through[1..]), "{mode}");
        }
        println!("{}: the same for the SDK, which speaks {}", server.name(), direct[0]["result"]["version"]);
    }
    ground.is_quiet();
}

/// What a server says of itself comes through, but for the gateway's own words to the model.
fn greets_alike(direct: &Value, through: &Value) {
    for key in ["protocolVersion", "supportedVersions", "version", "serverInfo"] {
        assert_eq!(direct[key], through[key], "{key}");
    }
    let said = direct["instructions"].as_str().unwrap_or_default();
    let handed_on = through["instructions"].as_str().unwrap_or_default();
    assert!(handed_on.contains(said), "{handed_on}");
    for key in ["tools", "resources", "prompts", "completions"] {
        let (direct, through) = (&direct["capabilities"][key], &through["capabilities"][key]);
        assert_eq!(direct.is_null(), through.is_null(), "{key}");
    }
}

/// Requests that both eras know.
pub(crate) fn asked_in_both_eras(server: Server, ground: &Ground) -> Vec<(&'static str, Value)> {
    server.requests(ground).into_iter().filter(|(method, _)| *method != "ping").collect()
}

pub(crate) fn without_era(answers: &[Value]) -> Vec<Value> {
    let mut answers = answers.to_vec();
    for answer in &mut answers {
        if let Some(result) = answer["result"].as_object_mut() {
            result.retain(|key, _| !OF_THE_LATER_ERA.contains(&key.as_str()));
        }
    }
    answers
}

/// Asks a server by hand and with the SDK, without the gateway: a difference elsewhere is the gateway's.
fn read_as_written(server: Server) {
    let ground = Ground::new();
    let line = server.fresh(&ground);
    let written = raw::session(ground.start(&line), &server.requests(&ground));
    let read = sdk::stdio(&ground, "legacy", &server.fresh(&ground), &server.requests(&ground));
    for (written, read) in written.iter().zip(&read).skip(1) {
        match written {
            Answer::Result(_) => assert_eq!(read["result"], written.value()),
            Answer::Error(_) => assert_eq!(read["error"]["code"], written.value()["code"]),
        }
    }
    ground.is_quiet();
}

/// Makes each comparison a test with each server.
macro_rules! with_every_server {
    ($($law:ident),* $(,)?) => { $(
        mod $law {
            use super::Server;
            /// "What the server says comes through to the byte", for server-everything.
            #[test] fn given_everything_then_nothing_differs() { super::$law(Server::Everything); }
            /// The same for server-filesystem.
            #[test] fn given_files_then_nothing_differs() { super::$law(Server::Filesystem); }
            /// The same for server-memory.
            #[test] fn given_a_memory_then_nothing_differs() { super::$law(Server::Memory); }
            /// The same for mcp-server-git.
            #[test] fn given_a_repository_then_nothing_differs() { super::$law(Server::Git); }
            /// The same for mcp-server-time.
            #[test] fn given_a_time_then_nothing_differs() { super::$law(Server::Time); }
        }
    )* };
}

with_every_server!(read_as_written, same_to_the_byte, same_for_the_sdk);

/// A client without sessions gets from a server with them what a client with a session gets.
#[test]
fn given_a_server_of_the_earlier_era_then_a_client_of_the_later_one_gets_the_same() {
    let ground = Ground::new();
    for server in [Server::Everything, Server::Filesystem] {
        let requests = asked_in_both_eras(server, &ground);
        let direct = sdk::stdio(&ground, "legacy", &server.fresh(&ground), &requests);
        let gateway = Ground::reached(Way::Gateway, server.name(), &server.fresh(&ground));
        let through = sdk::stdio(&ground, "2026-07-28", &gateway, &requests);
        assert_eq!(direct[0]["result"]["version"], "2025-11-25");
        assert_eq!(through[0]["result"]["version"], "2026-07-28");
        assert_eq!(without_era(&direct[1..]), without_era(&through[1..]));
    }
    ground.is_quiet();
}

/// A client may write all that it has to say and end: what it asked is answered as it is without the gateway.
#[test]
fn given_an_input_that_ends_at_once_then_all_that_was_asked_is_answered() {
    let ground = Ground::new();
    let server = Server::Filesystem;
    let [direct, through] = [Way::Direct, Way::Gateway].map(|way| {
        let line = Ground::reached(way, server.name(), &server.fresh(&ground));
        let mut requests = server.requests(&ground);
        // The list of tools, the folders, what is in one, and a file: none of it depends on what came before.
        requests.truncate(4);
        raw::at_once(ground.start(&line), &requests)
    });
    assert!(direct.len() > 4, "{direct:?}");
    assert_eq!(direct.keys().collect::<Vec<_>>(), through.keys().collect::<Vec<_>>());
    assert_eq!(direct.range(1..).collect::<Vec<_>>(), through.range(1..).collect::<Vec<_>>());
    ground.is_quiet();
}
