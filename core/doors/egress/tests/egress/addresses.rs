//! Names that lead where they should not.

use mayi_egress::{AddressKind, Allowance, Answer, Event, Reason};

use crate::origin::Origin;
use crate::world::World;

async fn refused(world: &World) -> Reason {
    let wanted = |event: &Event| matches!(event, Event::Refused { .. });
    let Event::Refused { reason, .. } = world.record.find(wanted).await else { unreachable!() };
    reason
}

fn request(host: &str) -> String {
    format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n")
}

/// An allowed name is one on the internet: what leads elsewhere is refused, in whatever form, and also among others.
#[tokio::test]
async fn given_a_name_that_leads_to_this_machine_or_a_private_network_then_it_is_refused() {
    for (list, kind) in [
        (&["127.0.0.1"][..], AddressKind::Loopback),
        (&["198.41.0.4", "127.0.0.1"], AddressKind::Loopback),
        (&["::ffff:10.0.0.1"], AddressKind::Private),
        (&["64:ff9b::a9fe:a9fe"], AddressKind::Metadata),
        (&["0.0.0.0"], AddressKind::Unspecified),
        (&["fe80::1"], AddressKind::LinkLocal),
    ] {
        let world = World::new();
        world.answer(Answer::Allow(Allowance::default()));
        world.names.set("a.example", &[list]);
        let answer = world.send(&request("a.example")).await;
        assert!(answer.starts_with("HTTP/1.1 403 mayi: a.example leads to "), "{answer}");
        assert!(matches!(refused(&world).await, Reason::Address(_, of) if of == kind), "{list:?}");
        let head = world.tunnel("a.example:443").await.unwrap_err();
        assert!(head.starts_with("HTTP/1.1 403 mayi: a.example leads to "), "{head}");
    }
}

/// Every way to write an address is that address.
#[tokio::test]
async fn given_an_address_in_another_form_then_it_is_that_address_to_the_judge_and_to_the_check() {
    for (written, host) in [
        ("127.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("[::ffff:127.0.0.1]", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[0:0::1]", "[::1]"),
    ] {
        let world = World::new();
        world.answer(Answer::Allow(Allowance::default()));
        let answer = world.send(&request(written)).await;
        assert!(answer.starts_with("HTTP/1.1 403 mayi: "), "{written}: {answer}");
        assert!(matches!(refused(&world).await, Reason::Address(_, AddressKind::Loopback)), "{written}");
        assert_eq!(world.rules.asked.lock().unwrap()[0].host, host);
        assert!(world.names.looked_up.lock().unwrap().is_empty());
    }
}

/// A name is looked up once: what it leads to later counts for nothing.
#[tokio::test]
async fn given_a_name_that_changes_then_the_address_that_was_looked_at_is_dialled() {
    let (world, origin) = (World::new(), Origin::ok().await);
    world.names.set("a.example", &[&["127.0.0.1"], &["169.254.169.254"]]);
    let host = format!("a.example:{}", origin.port());
    let answer = world.send(&request(&host)).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert_eq!(*world.names.looked_up.lock().unwrap(), ["a.example"]);
    let answer = world.send(&request(&host)).await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

/// A cloud's credentials are never what somebody meant by a name, also not where a private network was.
#[tokio::test]
async fn given_own_addresses_are_meant_then_a_name_still_does_not_lead_to_credentials() {
    let world = World::new();
    world.names.set("a.example", &[&["169.254.169.254"]]);
    let answer = world.send(&request("a.example")).await;
    assert!(answer.starts_with("HTTP/1.1 403 mayi: a.example leads to 169.254.169.254"), "{answer}");
}

/// One of this machine's own addresses is this machine, whatever range it is of.
#[tokio::test]
async fn given_an_address_of_this_machine_then_it_is_named_or_refused() {
    let interfaces = if_addrs::get_if_addrs().unwrap();
    for interface in interfaces {
        let world = World::new();
        world.answer(Answer::Allow(Allowance::default()));
        world.names.set("a.example", &[&[&interface.ip().to_string()]]);
        let answer = world.send(&request("a.example")).await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{interface:?} {answer}");
    }
}

/// The addresses of a name are tried in turn.
#[tokio::test]
async fn given_an_address_that_does_not_answer_then_the_next_one_is_tried() {
    let (world, origin) = (World::new(), Origin::ok().await);
    world.names.set("a.example", &[&["127.0.0.2", "127.0.0.1"]]);
    let answer = world.send(&request(&format!("a.example:{}", origin.port()))).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

/// A name without addresses is told as that.
#[tokio::test]
async fn given_a_name_without_addresses_then_it_is_told() {
    let world = World::new();
    world.names.set("a.example", &[]);
    world.names.set("b.example", &[&[]]);
    for name in ["a.example", "b.example"] {
        let answer = world.send(&request(name)).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 502 mayi: {name} was allowed, and no address")),
            "{answer}"
        );
    }
}
