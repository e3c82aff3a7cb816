//! Must show: "real clients that nobody here wrote drive real agents through it"; "the same transcript with and without
//! mayi, apart from what was gated and mayi's text block".

use crate::agent::Agent;
use crate::client::{Client, Says};
use crate::scene::{Scene, Way};

/// Makes each law a test with each client and each agent: `acpx::claude::LAW`.
macro_rules! with_each_client {
    ($laws:tt) => {
        with_each_client!(@ acpx Acpx, $laws);
        with_each_client!(@ python Python, $laws);
        with_each_client!(@ typescript TypeScript, $laws);
    };
    (@ $name:ident $client:ident, [$($law:ident),* $(,)?]) => {
        mod $name {
            use crate::client::Client;
            pub(super) mod claude {
                $(#[test] fn $law() { crate::cases::$law(super::Client::$client, crate::agent::Agent::Claude); })*
            }
            pub(super) mod codex {
                $(#[test] fn $law() { crate::cases::$law(super::Client::$client, crate::agent::Agent::Codex); })*
            }
        }
    };
}

with_each_client!([
    given_a_rule_that_allows_then_it_happens_and_the_client_is_not_asked,
    given_no_rule_then_the_client_is_asked_and_what_it_allows_happens,
    given_no_rule_then_what_the_client_denies_does_not_happen,
    given_a_rule_that_denies_then_it_does_not_happen_and_the_client_is_not_asked,
    given_all_of_it_allowed_then_the_transcript_is_the_same_with_and_without_mayi,
]);

/// The script runs `touch ran.txt`.
const CASE: &str = "run once";

fn ends_well(client: Client, seen: &crate::seen::Seen) {
    assert_eq!(seen.stop(), "end_turn", "{seen:?}");
    assert_eq!(seen.code, 0, "{client:?} {seen:?}");
}

/// How a turn ends in which something was refused. `acpx` ends with 5 where all that it was asked for was denied.
fn ends_refused(client: Client, agent: Agent, seen: &crate::seen::Seen, by_client: bool) {
    assert_eq!(seen.stop(), agent.stops_after_refusal(), "{seen:?}");
    let code = if client == Client::Acpx && by_client { 5 } else { 0 };
    assert_eq!(seen.code, code, "{client:?} {seen:?}");
    assert!(!seen.statuses().contains(&"completed"), "{seen:?}");
}

fn given_a_rule_that_allows_then_it_happens_and_the_client_is_not_asked(client: Client, agent: Agent) {
    let scene = Scene::new(agent, "[rules]\nallow = [\"shell(touch ran.txt)\"]\n");
    // It would say no.
    let seen = scene.run(client, Way::Mayi, Says::No, CASE);
    assert!(scene.has("ran.txt") && seen.asked().is_empty(), "{seen:?}");
    ends_well(client, &seen);
}

fn given_no_rule_then_the_client_is_asked_and_what_it_allows_happens(client: Client, agent: Agent) {
    let scene = Scene::new(agent, "");
    let seen = scene.run(client, Way::Mayi, Says::Yes, CASE);
    assert!(scene.has("ran.txt") && seen.asked().len() == 1, "{seen:?}");
    // Some editors show nothing else of a question than its title.
    let title = &seen.asked()[0]["asked"]["title"];
    assert!(title.as_str().is_some_and(|title| title.starts_with("shell(touch ran.txt)")), "{seen:?}");
    ends_well(client, &seen);
    let answered = scene.record().into_iter().filter(|entry| entry["kind"] == "answered").count();
    assert_eq!(answered, 1);
}

fn given_no_rule_then_what_the_client_denies_does_not_happen(client: Client, agent: Agent) {
    let scene = Scene::new(agent, "");
    let seen = scene.run(client, Way::Mayi, Says::No, CASE);
    assert!(!scene.has("ran.txt") && seen.asked().len() == 1, "{seen:?}");
    ends_refused(client, agent, &seen, true);
}

fn given_a_rule_that_denies_then_it_does_not_happen_and_the_client_is_not_asked(
    client: Client,
    agent: Agent,
) {
    let scene = Scene::new(agent, "[rules]\ndeny = [\"shell(touch *)\"]\n");
    // It would say yes.
    let seen = scene.run(client, Way::Mayi, Says::Yes, CASE);
    assert!(!scene.has("ran.txt") && seen.asked().is_empty(), "{seen:?}");
    ends_refused(client, agent, &seen, false);
}

fn given_all_of_it_allowed_then_the_transcript_is_the_same_with_and_without_mayi(
    client: Client,
    agent: Agent,
) {
    let scene = Scene::new(agent, "");
    let direct = scene.run(client, Way::Direct, Says::Yes, CASE);
    scene.remove("ran.txt");
    let through = scene.run(client, Way::Mayi, Says::Yes, CASE);
    let (direct, through) = (direct.transcript(&scene.stage()), through.transcript(&scene.stage()));
    assert!(direct.iter().any(|line| line.get("asked").is_some()), "{direct:?}");
    let text = |lines: &[serde_json::Value]| serde_json::to_string_pretty(lines).unwrap();
    assert!(direct == through, "direct: {}\nthrough mayi: {}", text(&direct), text(&through));
}

/// With the demo agent, which is built in: nothing but the clients is of others.
#[test]
fn given_the_demo_agent_then_each_client_is_asked_and_what_it_denies_does_not_happen() {
    for client in [Client::Acpx, Client::Python, Client::TypeScript] {
        let machine = mayi_tests::Machine::new();
        let config = "home/.config/mayi/config.toml";
        machine.configuration(
            config,
            "[rules]\nallow = [\"write(free.txt)\"]\ndeny = [\"write(secret.txt)\"]\n",
        );
        let agent = [crate::agent::mayi().display().to_string(), "acp".to_owned(), "demo".to_owned()];
        let prompt =
            "demo: write free.txt a ;; demo: write secret.txt b ;; demo: write asked.txt c ;; demo: say done";
        for (says, files) in [(Says::No, vec!["free.txt"]), (Says::Yes, vec!["asked.txt", "free.txt"])] {
            let (lines, code) = client.run(&machine.outside("home"), &machine.work(), &agent, prompt, says);
            let seen = crate::seen::Seen::new(lines, code);
            assert_eq!(seen.asked().len(), 1, "{client:?} {seen:?}");
            assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), files, "{client:?} {seen:?}");
            assert_eq!(seen.stop(), "end_turn", "{client:?} {seen:?}");
        }
        machine.is_quiet();
    }
}
