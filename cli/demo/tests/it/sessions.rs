//! Sessions, modes and what survives a restart.

use agent_client_protocol::v1::schema::{
    ContentBlock, NewSessionRequest, SessionId, SessionUpdate, SetSessionModeRequest, StopReason,
};

use crate::desk::{Desk, Offers, connected};

async fn set_mode(desk: &Desk, session: &SessionId, mode: &'static str) -> bool {
    let request = SetSessionModeRequest::new(session.clone(), mode);
    desk.agent.send_request(request).block_task().await.is_ok()
}

/// The conversation as the updates tell it: who and what.
fn talk(desk: &Desk) -> Vec<(&'static str, String)> {
    let talk = desk.updates().into_iter().filter_map(|update| match update {
        SessionUpdate::UserMessageChunk(chunk) => Some(("user", chunk.content)),
        SessionUpdate::AgentMessageChunk(chunk) => Some(("agent", chunk.content)),
        _ => None,
    });
    talk.map(|(who, content)| match content {
        ContentBlock::Text(text) => (who, text.text),
        other => panic!("{other:?}"),
    })
    .collect()
}

#[tokio::test]
async fn given_a_new_session_then_it_asks_and_in_mode_free_it_does_not() {
    connected(Offers::Nothing, None, async |desk| {
        let answer = desk.new_session().await;
        let (session, modes) = (answer.session_id, answer.modes.unwrap());
        assert_eq!(modes.current_mode_id.to_string(), "ask");
        assert_eq!(modes.available_modes.len(), 2);
        assert!(!set_mode(desk, &session, "yolo").await);
        assert!(set_mode(desk, &session, "free").await);
        let (_, titles) =
            desk.turn(&session, "demo: write a.txt ;; demo: loop 3 ;; demo: mode", "reject").await;
        assert!(titles.is_empty() && desk.cwd.join("a.txt").exists());
        assert!(desk.said().contains("unasked 3"));
        assert!(set_mode(desk, &session, "ask").await);
        let (_, titles) = desk.turn(&session, "demo: write b.txt", "reject").await;
        assert_eq!(titles, ["Write b.txt"]);
    })
    .await;
}

#[tokio::test]
async fn given_the_mode_question_then_only_bypass_stops_it_asking() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        for (option, asked) in [("reject", 1), ("exit-plan-default", 1), ("bypassPermissions", 0)] {
            desk.turn(&session, "demo: mode", option).await;
            let (_, titles) = desk.turn(&session, "demo: fetch https://example.org", "reject").await;
            assert_eq!(titles.len(), asked, "{option}");
        }
        let switched = desk.updates().into_iter().filter_map(|update| match update {
            SessionUpdate::CurrentModeUpdate(update) => Some(update.current_mode_id.to_string()),
            _ => None,
        });
        assert_eq!(switched.collect::<Vec<_>>(), ["ask", "free"]);
    })
    .await;
}

#[tokio::test]
async fn given_a_restart_then_load_replays_what_was_said() {
    let state = tempfile::tempdir().unwrap();
    let mut id = SessionId::new("none");
    let mut before = Vec::new();
    connected(Offers::Nothing, Some(state.path()), async |desk| {
        id = desk.new_session().await.session_id;
        desk.turn(&id, "demo: say good morning to all of you", "allow").await;
        desk.turn(&id, "demo: say bye", "allow").await;
        before = talk(desk);
    })
    .await;
    connected(Offers::Nothing, Some(state.path()), async |desk| {
        let answer = desk.load_session(&id).await.unwrap();
        assert_eq!(answer.modes.unwrap().current_mode_id.to_string(), "ask");
        assert_eq!(
            talk(desk),
            [
                ("user", "demo: say good morning to all of you".to_owned()),
                ("agent", "good morning to all of you\n".to_owned()),
                ("user", "demo: say bye".to_owned()),
                ("agent", "bye\n".to_owned()),
            ]
        );
        let said: String = before.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(said, "good morning to all of you\nbye\n");
        let (stop, _) = desk.turn(&id, "demo: say again", "allow").await;
        assert_eq!(stop, StopReason::EndTurn);
    })
    .await;
}

#[tokio::test]
async fn given_a_session_nobody_knows_then_load_and_prompt_are_errors() {
    let state = tempfile::tempdir().unwrap();
    connected(Offers::Nothing, Some(state.path()), async |desk| {
        let id = SessionId::new("demo-unknown");
        assert_eq!(i32::from(desk.load_session(&id).await.unwrap_err().code), -32002);
        assert_eq!(i32::from(desk.prompt(&id, "tour").await.unwrap_err().code), -32002);
        assert!(!set_mode(desk, &id, "free").await);
        let relative = desk.agent.send_request(NewSessionRequest::new("here")).block_task().await;
        assert_eq!(i32::from(relative.unwrap_err().code), -32602);
    })
    .await;
}

#[tokio::test]
async fn given_a_turn_that_runs_then_a_second_prompt_is_refused_and_the_first_goes_on() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: write a.txt"));
        let question = desk.question().await;
        assert_eq!(i32::from(desk.prompt(&session, "tour").await.unwrap_err().code), -32600);
        assert_eq!(i32::from(desk.load_session(&session).await.unwrap_err().code), -32600);
        question.choose("allow");
        assert_eq!(end.await.unwrap().unwrap(), StopReason::EndTurn);
        assert!(desk.cwd.join("a.txt").exists());
    })
    .await;
}
