//! Asking: held, joined, remembered, withdrawn.

use std::time::Duration;

use mayi_egress::{Allowance, Answer, Client, Lasts, Limits, Registration};

use crate::origin::Origin;
use crate::world::{World, denied, with_secret};
use tokio::io::AsyncWriteExt as _;

/// Long enough for an answer that is there, also on a busy machine.
const HOLD: Duration = Duration::from_secs(1);

fn quick() -> Limits {
    Limits { hold: HOLD, ..Limits::default() }
}

fn lasting(lasts: Lasts) -> Answer {
    Answer::Allow(Allowance { lasts, own_addresses: true, raw: true })
}

fn program(world: &World, id: &str, program: &str) -> Registration {
    world.proxy.register(Client::new(id, Some(program)).unwrap()).unwrap()
}

/// A question that nobody answers in time is a refusal that says so, and the answer that comes later is for the next try.
#[tokio::test]
async fn given_a_late_answer_then_the_next_try_goes_through_at_once() {
    let origin = Origin::ok().await;
    let world = World::within(quick());
    let authority = format!("a.example:{}", origin.port());
    world.rules.holding.send_replace(true);
    let head = world.tunnel(&authority).await.unwrap_err();
    assert!(head.starts_with("HTTP/1.1 403 mayi: nobody has answered yet whether a.example"), "{head}");
    world.rules.holding.send_replace(false);
    // The question of before is the only one.
    world.tunnel(&authority).await.unwrap();
    assert_eq!(world.rules.count(), 1);
    // It was for once.
    world.tunnel(&authority).await.unwrap();
    assert_eq!(world.rules.count(), 2);
}

/// A late refusal is told at once too.
#[tokio::test]
async fn given_a_late_refusal_then_the_next_try_is_refused_with_its_words() {
    let world = World::within(quick());
    world.answer(denied());
    world.rules.holding.send_replace(true);
    world.tunnel("a.example:443").await.unwrap_err();
    world.rules.holding.send_replace(false);
    let head = world.tunnel("a.example:443").await.unwrap_err();
    assert!(head.starts_with("HTTP/1.1 403 mayi: nobody has allowed this."), "{head}");
    assert_eq!(world.rules.count(), 1);
}

/// Who wants the same at the same time is asked about once, also by another command of the same program.
#[tokio::test]
async fn given_the_same_wish_at_the_same_time_then_it_is_asked_about_once() {
    let origin = Origin::ok().await;
    let world = World::new();
    let authority = format!("a.example:{}", origin.port());
    let (one, two, other) = (program(&world, "1", "p"), program(&world, "2", "p"), program(&world, "3", "q"));
    world.rules.holding.send_replace(true);
    let tunnels =
        futures_join([&one, &two, &one, &other].map(|command| world.tunnel_as(command, &authority)));
    let answering = async {
        world.rules.until(|rules| rules.count() == 2).await;
        world.rules.holding.send_replace(false);
    };
    let (tunnels, ()) = tokio::join!(tunnels, answering);
    assert!(tunnels.into_iter().all(|tunnel| tunnel.is_ok()));
    assert_eq!(world.rules.count(), 2);
}

async fn futures_join<F: Future>(futures: [F; 4]) -> [F::Output; 4] {
    let [a, b, c, d] = futures;
    tokio::join!(a, b, c, d).into()
}

/// How long an answer holds is the judge's to say.
#[tokio::test]
async fn given_an_answer_that_lasts_then_it_is_remembered_for_as_long() {
    let origin = Origin::ok().await;
    let authority = format!("a.example:{}", origin.port());
    for (lasts, asked) in [(Lasts::Once, 3), (Lasts::Command, 2), (Lasts::Proxy, 1)] {
        let world = World::new();
        world.answer(lasting(lasts));
        let (one, two) = (program(&world, "1", "p"), program(&world, "2", "p"));
        for command in [&one, &one, &two] {
            world.tunnel_as(command, &authority).await.unwrap();
        }
        assert_eq!(world.rules.count(), asked, "{lasts:?}");
        let elsewhere = program(&world, "3", "q");
        world.tunnel_as(&elsewhere, &authority).await.unwrap();
        assert_eq!(world.rules.count(), asked + 1, "another program is asked about: {lasts:?}");
        world.proxy.forget_answers();
        world.tunnel_as(&one, &authority).await.unwrap();
        assert_eq!(world.rules.count(), asked + 2, "nothing is left: {lasts:?}");
    }
}

/// An answer is about one port, one method, and over plain HTTP one address.
#[tokio::test]
async fn given_an_answer_then_it_is_for_nothing_else() {
    let origin = Origin::ok().await;
    let world = World::new();
    world.answer(lasting(Lasts::Proxy));
    let port = origin.port();
    let get = |path: &str| {
        format!("GET http://a.example:{port}/{path} HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n\r\n")
    };
    for path in ["1", "1", "2"] {
        world.send(&get(path)).await;
    }
    assert_eq!(world.rules.count(), 2);
    world.tunnel(&format!("a.example:{port}")).await.unwrap();
    assert_eq!(world.rules.count(), 3);
    let another = Origin::ok().await;
    world.tunnel(&format!("a.example:{}", another.port())).await.unwrap();
    assert_eq!(world.rules.count(), 4);
}

/// A question is withdrawn when every command that asked has ended, and not before.
#[tokio::test]
async fn given_commands_that_end_then_their_question_is_withdrawn_with_the_last() {
    let world = World::new();
    world.rules.holding.send_replace(true);
    let (one, two) = (program(&world, "1", "p"), program(&world, "2", "p"));
    let request = "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nAUTH\r\n\r\n";
    let mut first = world.connect().await;
    first.write_all(with_secret(&one, request).as_bytes()).await.unwrap();
    world.rules.until(|rules| rules.count() == 1).await;
    // The second has joined once its other wish, on the same connection, was heard of.
    let mut second = world.connect().await;
    second.write_all(with_secret(&two, request).as_bytes()).await.unwrap();
    let quick = world.tunnel_as(&two, "b.example:443");
    tokio::select! {
        _ = quick => unreachable!(),
        () = world.rules.until(|rules| rules.count() == 2) => {}
    }
    one.end().await;
    two.end().await;
    world.rules.until(|rules| *rules.dropped.lock().unwrap() == 2).await;
}

/// A command can't have people asked about as much as it likes at once.
#[tokio::test]
async fn given_too_many_questions_then_the_next_one_is_refused() {
    let world =
        World::within(Limits { questions_each: 2, hold: Duration::from_millis(100), ..Limits::default() });
    world.rules.holding.send_replace(true);
    for host in ["a.example:443", "b.example:443"] {
        world.tunnel(host).await.unwrap_err();
    }
    let head = world.tunnel("c.example:443").await.unwrap_err();
    assert!(head.starts_with("HTTP/1.1 503 mayi: too many questions at once."), "{head}");
    let other = program(&world, "2", "p");
    let head = world.tunnel_as(&other, "c.example:443").await.unwrap_err();
    assert!(head.contains("nobody has answered yet"), "{head}");
}
