//! The scenarios other than the tour.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{SessionUpdate, StopReason, ToolCallStatus, ToolKind};
use serde_json::json;

use crate::desk::{Offers, connected};

#[tokio::test]
async fn given_several_scenarios_then_they_run_in_order() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let prompt =
            "demo: write a.txt one line ;; demo: edit a.txt\ndemo: run cat a.txt | head -1\ndemo: read a.txt";
        let (_, titles) = desk.turn(&session, prompt, "allow").await;
        assert_eq!(titles, ["Write a.txt", "Edit a.txt", "cat a.txt | head -1"]);
        assert!(desk.said().contains("It printed: one line\n"));
        assert!(desk.said().ends_with("It has 2 lines, and begins with: one line\n"));
    })
    .await;
}

#[tokio::test]
async fn given_two_then_both_are_done_when_allowed() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        desk.turn(&session, "demo: two", "allow").await;
        assert!(desk.cwd.join("two.txt").exists() && desk.cwd.join("ran.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn given_unasked_then_a_file_is_written_and_nobody_is_asked_or_used() {
    connected(Offers::Everything, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let (_, titles) = desk.turn(&session, "demo: unasked x.txt", "reject").await;
        assert!(titles.is_empty() && desk.served().is_empty() && desk.cwd.join("x.txt").exists());
        let reported = desk.updates().iter().any(|update| {
            matches!(update, SessionUpdate::ToolCallUpdate(update) if update.fields.status == Some(ToolCallStatus::Completed))
        });
        assert!(reported);
    })
    .await;
}

#[tokio::test]
async fn given_fetch_and_mcp_then_the_question_says_what_it_is_and_nothing_happens() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let prompt = r#"demo: fetch https://example.org ;; demo: mcp files wipe {"all": true}"#;
        let end = tokio::spawn(desk.prompt(&session, prompt));
        let fetch = desk.question().await;
        assert_eq!(fetch.request.tool_call.fields.kind, Some(ToolKind::Fetch));
        assert_eq!(fetch.request.tool_call.fields.raw_input, Some(json!({"url": "https://example.org"})));
        fetch.choose("allow");
        let mcp = desk.question().await;
        let call = mcp.request.tool_call.fields.clone();
        assert_eq!((call.name.as_deref(), mcp.title()), (Some("mcp__files__wipe"), "mcp__files__wipe"));
        assert_eq!(call.raw_input, Some(json!({"all": true})));
        mcp.choose("reject");
        assert_eq!(end.await.unwrap().unwrap(), StopReason::EndTurn);
        assert_eq!(desk.said().matches("Pretending").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn given_a_loop_then_each_answer_is_counted_and_nothing_is_written() {
    connected(Offers::Everything, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: loop 5"));
        for answer in ["allow", "reject", "allow", "not offered"] {
            desk.question().await.choose(answer);
        }
        let last = desk.question().await;
        last.responder.respond_with_error(Error::internal_error()).unwrap();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::EndTurn);
        assert_eq!(desk.said(), "loop 5: allow 2, allow-always 0, error 1, not offered 1, reject 1\n");
        assert_eq!(desk.served().len() + std::fs::read_dir(&desk.cwd).unwrap().count(), 0);
    })
    .await;
}

#[tokio::test]
async fn given_an_error_or_an_option_that_was_not_offered_then_it_counts_as_no() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: write a.txt ;; demo: write b.txt"));
        desk.question().await.responder.respond_with_error(Error::method_not_found()).unwrap();
        desk.question().await.choose("yes");
        assert_eq!(end.await.unwrap().unwrap(), StopReason::EndTurn);
        assert_eq!(std::fs::read_dir(&desk.cwd).unwrap().count(), 0);
    })
    .await;
}

#[tokio::test]
async fn given_a_subagent_then_its_question_names_the_call_that_started_it() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "demo: subagent"));
        let question = desk.question().await;
        let meta = question.request.tool_call.meta.clone().unwrap();
        let parent = desk.updates().into_iter().find_map(|update| match update {
            SessionUpdate::ToolCall(call) if call.kind == ToolKind::Think => Some(call.tool_call_id),
            _ => None,
        });
        assert_eq!(meta["claudeCode"]["parentToolUseId"], json!(parent.unwrap()));
        question.choose("allow");
        end.await.unwrap().unwrap();
        assert!(desk.cwd.join("sub.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn given_a_scenario_it_does_not_know_then_it_says_so_and_prints_the_table() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        desk.turn(&session, "demo: dance", "allow").await;
        assert!(desk.said().starts_with("I don't understand `demo: dance`.\n"));
        assert!(desk.said().contains("- `demo: slow SECONDS` prints a dot every 200 ms\n"));
    })
    .await;
}
