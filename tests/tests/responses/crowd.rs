//! Many apps at once: each gets an answer.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Barrier};

use mayi_tests::{LIMIT, until};
use serde_json::json;

use crate::scene::{Scene, message, wants};

/// So many apps.
const APPS: usize = 200;

/// The statuses of so many requests at once, each on a connection of its own.
fn statuses(scene: &Scene, method: &str, path: &str, body: &str) -> Vec<u16> {
    let together = Arc::new(Barrier::new(APPS));
    std::thread::scope(|scope| {
        let apps: Vec<_> = (0..APPS)
            .map(|_| {
                let together = Arc::clone(&together);
                scope.spawn(move || {
                    together.wait();
                    scene.send(method, path, "", body).end().status
                })
            })
            .collect();
        apps.into_iter().map(|app| app.join().unwrap()).collect()
    })
}

/// Attack 774. Found in review: of 200 apps with the right key that connected at once, up to 76 had their connection closed without
/// a word, since each was taken for a stranger until it was looked up.
#[test]
fn given_200_apps_with_the_key_at_once_then_each_gets_its_answer() {
    let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
    assert_eq!(statuses(&scene, "GET", "/v1/models", ""), [200; APPS]);
    let body = wants(&json!([["search"]]), false);
    // Each is another request: else they would join one another.
    let together = Arc::new(Barrier::new(APPS));
    let answered = std::thread::scope(|scope| {
        let apps: Vec<_> = (0..APPS)
            .map(|app| {
                let (together, mut body, scene) = (Arc::clone(&together), body.clone(), &scene);
                body["metadata"] = json!({ "app": app.to_string() });
                scope.spawn(move || {
                    together.wait();
                    message(&scene.create(&body).json()) == "search ran"
                })
            })
            .collect();
        apps.into_iter().map(|app| app.join().unwrap()).filter(|answered| *answered).count()
    });
    assert_eq!((answered, scene.ran().len()), (APPS, APPS));
    // Without the key each hears why not, too.
    let raw = |_| {
        let mut stream = TcpStream::connect(scene.address()).unwrap();
        stream.write_all(b"GET /v1/models HTTP/1.0\r\nhost: localhost\r\n\r\n").unwrap();
        let mut got = String::new();
        stream.read_to_string(&mut got).unwrap();
        got.starts_with("HTTP/1.0 40")
    };
    assert_eq!((0..APPS).map(raw).filter(|told| *told).count(), APPS);
}

/// Attack 774: where all places are taken by those who have the key, the next one is told so, and when to come back.
#[test]
fn given_all_places_taken_then_the_next_app_is_told_to_come_back() {
    let scene = Scene::new(&[]);
    let head = format!(
        "GET /v1/models HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        scene.address(),
        scene.token()
    );
    let ask = || {
        let mut stream = TcpStream::connect(scene.address()).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    // Many at a time: a connection that asks nothing for a minute is closed.
    let mut taken: Vec<TcpStream> = Vec::new();
    for _ in 0..4 {
        let mut asked: Vec<TcpStream> = (0..256).map(|_| ask()).collect();
        for stream in &mut asked {
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"HTTP/1.1 200");
        }
        taken.extend(asked);
    }
    let body = wants(&json!([["search"]]), false);
    let got = scene.create(&body);
    assert_eq!((got.status, &got.json()["error"]["code"]), (503, &json!("mayi_busy")), "{got:?}");
    assert!(got.head.contains("retry-after: 1") && !got.head.contains("x-should-retry"), "{got:?}");
    for stream in &taken {
        let _ = stream.shutdown(Shutdown::Both);
    }
    until(LIMIT, || match scene.send("GET", "/v1/models", "", "").end().status {
        200 => Ok(()),
        other => Err(format!("it answers {other}")),
    });
}
