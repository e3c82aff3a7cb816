//! Every way a turn ends early.

use std::time::{Duration, Instant};

use agent_client_protocol::v1::schema::{CancelNotification, SessionUpdate, StopReason, ToolCallStatus};

use crate::desk::{Desk, Offers, connected};

fn last_status(desk: &Desk) -> Option<ToolCallStatus> {
    let statuses = desk.updates().into_iter().filter_map(|update| match update {
        SessionUpdate::ToolCallUpdate(update) => update.fields.status,
        _ => None,
    });
    statuses.last()
}

#[tokio::test]
async fn given_a_cancelled_answer_then_the_turn_ends_cancelled_and_nothing_is_done() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "tour"));
        desk.question().await.cancel();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::Cancelled);
        assert!(!desk.cwd.join("mayi-demo.txt").exists());
        assert_eq!(last_status(desk), Some(ToolCallStatus::Failed));
    })
    .await;
}

#[tokio::test]
async fn given_one_of_two_answers_cancelled_then_the_other_question_is_withdrawn() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: two ;; demo: say more"));
        let (run, write) = (desk.question().await, desk.question().await);
        write.cancel();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::Cancelled);
        run.responder.cancellation().cancelled().await;
        run.choose("allow");
        desk.new_session().await;
        assert_eq!(std::fs::read_dir(&desk.cwd).unwrap().count(), 0);
        assert!(!desk.said().contains("more"));
    })
    .await;
}

#[tokio::test]
async fn given_session_cancel_while_it_asks_then_the_turn_ends_without_an_answer() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "tour"));
        let question = desk.question().await;
        desk.agent.send_notification(CancelNotification::new(session.clone())).unwrap();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::Cancelled);
        question.responder.cancellation().cancelled().await;
        question.choose("allow");
        let (stop, _) = desk.turn(&session, "demo: say again", "allow").await;
        assert_eq!(stop, StopReason::EndTurn, "the next turn is not cancelled");
        assert!(!desk.cwd.join("mayi-demo.txt").exists(), "a late answer does nothing");
    })
    .await;
}

#[tokio::test]
async fn given_session_cancel_while_a_terminal_runs_then_it_is_killed_and_released() {
    connected(Offers::EndlessTerminals, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: run sleep 100"));
        desk.question().await.choose("allow");
        while !desk.served().contains(&"wait".to_owned()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        desk.agent.send_notification(CancelNotification::new(session)).unwrap();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::Cancelled);
        desk.new_session().await;
        let (withdrawn, rest): (Vec<_>, Vec<_>) =
            desk.served().into_iter().partition(|used| used == "wait withdrawn");
        assert_eq!(rest, ["create sleep 100", "wait", "kill", "release"]);
        assert_eq!(withdrawn.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn given_session_cancel_while_it_runs_a_command_itself_then_the_turn_ends_at_once() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: run sleep 100"));
        desk.question().await.choose("allow");
        tokio::time::sleep(Duration::from_millis(50)).await;
        desk.agent.send_notification(CancelNotification::new(session)).unwrap();
        let since = Instant::now();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::Cancelled);
        assert!(since.elapsed() < Duration::from_secs(5));
    })
    .await;
}

#[tokio::test]
async fn given_a_slow_turn_then_only_its_own_session_is_cancelled() {
    connected(Offers::Nothing, None, async |desk| {
        let (one, other) = (desk.new_session().await.session_id, desk.new_session().await.session_id);
        let slow = tokio::spawn(desk.prompt(&one, "demo: slow 100"));
        let short = tokio::spawn(desk.prompt(&other, "demo: slow 0.4"));
        tokio::time::sleep(Duration::from_millis(100)).await;
        desk.agent.send_notification(CancelNotification::new(one)).unwrap();
        assert_eq!(slow.await.unwrap().unwrap(), StopReason::Cancelled);
        assert_eq!(short.await.unwrap().unwrap(), StopReason::EndTurn);
    })
    .await;
}

#[tokio::test]
async fn given_a_prompt_that_is_withdrawn_then_it_is_answered_with_cancelled() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let request =
            agent_client_protocol::v1::schema::PromptRequest::new(session, vec!["demo: slow 100".into()]);
        let sent = desk.agent.send_request(request);
        sent.cancel().unwrap();
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::Cancelled);
    })
    .await;
}
