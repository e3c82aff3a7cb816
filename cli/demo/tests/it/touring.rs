//! The tour, with each kind of answer.

use agent_client_protocol::v1::schema::{
    PlanEntryStatus, SessionUpdate, StopReason, ToolCallContent, ToolCallStatus, ToolKind,
};

use crate::desk::{Desk, Offers, connected};

const WRITE: &str = "Write mayi-demo.txt";
const EDIT: &str = "Edit mayi-demo.txt";
const LIST: &str = "ls -l mayi-demo.txt";
const REMOVE: &str = "rm mayi-demo.txt";
const NOTES: &str = "Write mayi-demo-notes.txt";

fn readme(desk: &Desk) {
    std::fs::write(desk.cwd.join("README.md"), "# A project\n\nText.\n").unwrap();
}

fn last_plan(desk: &Desk) -> Vec<PlanEntryStatus> {
    let plans = desk.updates().into_iter().filter_map(|update| match update {
        SessionUpdate::Plan(plan) => Some(plan),
        _ => None,
    });
    plans.last().unwrap().entries.into_iter().map(|entry| entry.status).collect()
}

#[tokio::test]
async fn given_all_allowed_and_nothing_offered_then_it_does_all_itself() {
    connected(Offers::Nothing, None, async |desk| {
        readme(desk);
        let session = desk.new_session().await.session_id;
        let (stop, titles) = desk.turn(&session, "Show me around", "allow").await;
        assert_eq!((stop, desk.served()), (StopReason::EndTurn, vec![]));
        assert_eq!(titles, [WRITE, EDIT, LIST, REMOVE, NOTES]);
        assert!(!desk.cwd.join("mayi-demo.txt").exists());
        assert!(desk.cwd.join("mayi-demo-notes.txt").exists());
        let said = desk.said();
        assert!(said.starts_with("You said: Show me around\n"), "{said}");
        assert!(said.contains("and begins with: # A project\n"), "{said}");
        assert!(said.contains("It printed: -rw"), "{said}");
        assert!(said.contains("- Done: read README.md; write mayi-demo.txt; edit"), "{said}");
        assert!(!said.contains("Not allowed"), "{said}");
        assert_eq!(last_plan(desk), vec![PlanEntryStatus::Completed; 5]);
    })
    .await;
}

#[tokio::test]
async fn given_a_client_with_files_and_terminals_then_it_uses_them() {
    connected(Offers::Everything, None, async |desk| {
        readme(desk);
        let session = desk.new_session().await.session_id;
        let (stop, titles) = desk.turn(&session, "tour", "allow-always").await;
        assert_eq!(stop, StopReason::EndTurn);
        assert_eq!(titles.len(), 5, "`Always allow` is taken as `Allow`");
        let served = desk.served();
        let first = ["read README.md", "write mayi-demo.txt", "write mayi-demo.txt"];
        assert_eq!(served[..3], first);
        assert_eq!(served[3..7], ["create ls -l mayi-demo.txt", "wait", "output", "release"]);
        let mut rest = served[7..].to_vec();
        rest.sort();
        let mut both = ["create rm mayi-demo.txt", "wait", "output", "release", "write mayi-demo-notes.txt"];
        both.sort();
        assert_eq!(rest, both);
        assert!(desk.said().contains("It printed: ran\n"));
    })
    .await;
}

#[tokio::test]
async fn given_all_rejected_then_nothing_is_touched_and_the_tour_still_ends_well() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let (stop, titles) = desk.turn(&session, "", "reject").await;
        assert_eq!(stop, StopReason::EndTurn);
        assert_eq!(titles, [WRITE, LIST, REMOVE, NOTES]);
        assert_eq!(std::fs::read_dir(&desk.cwd).unwrap().count(), 0);
        let said = desk.said();
        assert!(said.contains("There is no file here to read"), "{said}");
        assert!(said.contains("- Not allowed: write mayi-demo.txt; run ls"), "{said}");
        assert!(said.contains("- Skipped: edit mayi-demo.txt"), "{said}");
        let statuses: Vec<ToolCallStatus> = desk
            .updates()
            .into_iter()
            .filter_map(|update| match update {
                SessionUpdate::ToolCallUpdate(update) => update.fields.status,
                _ => None,
            })
            .collect();
        assert_eq!(statuses, vec![ToolCallStatus::Failed; 4]);
    })
    .await;
}

#[tokio::test]
async fn given_the_last_step_then_two_questions_are_open_at_once_and_one_answer_is_enough_for_one() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "tour"));
        for _ in 0..3 {
            desk.question().await.choose("allow");
        }
        let (remove, notes) = (desk.question().await, desk.question().await);
        assert_eq!((remove.title(), notes.title()), (REMOVE, NOTES));
        notes.choose("reject");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        assert!(desk.cwd.join("mayi-demo.txt").exists() && !end.is_finished());
        remove.choose("allow");
        assert_eq!(end.await.unwrap().unwrap(), StopReason::EndTurn);
        assert!(!desk.cwd.join("mayi-demo.txt").exists());
        assert!(desk.said().contains("- Not allowed: write mayi-demo-notes.txt\n"));
    })
    .await;
}

#[tokio::test]
async fn given_a_question_then_it_carries_what_a_person_needs_to_judge() {
    connected(Offers::Nothing, None, async |desk| {
        let session = desk.new_session().await.session_id;
        let end = tokio::spawn(desk.prompt(&session, "tour"));
        let write = desk.question().await;
        let file = desk.cwd.join("mayi-demo.txt");
        let call = write.request.tool_call.fields.clone();
        assert_eq!(call.kind, Some(ToolKind::Edit));
        assert_eq!(call.name.as_deref(), Some("write_file"));
        assert_eq!(call.locations.unwrap()[0].path, file);
        assert_eq!(call.raw_input.unwrap()["path"], file.to_str().unwrap());
        let [ToolCallContent::Diff(diff)] = &call.content.unwrap()[..] else { panic!("one diff") };
        assert_eq!((&diff.path, &diff.old_text), (&file, &None));
        let options: Vec<&str> = write.request.options.iter().map(|option| option.name.as_str()).collect();
        assert_eq!(options, ["Allow", "Always allow", "Reject"]);
        write.choose("allow");

        let edit = desk.question().await.request;
        let Some([ToolCallContent::Diff(diff)]) = edit.tool_call.fields.content.as_deref() else {
            panic!("one diff")
        };
        assert!(diff.new_text.starts_with(diff.old_text.as_ref().unwrap()));
        desk.agent
            .send_notification(agent_client_protocol::v1::schema::CancelNotification::new(session))
            .unwrap();
        assert_eq!(end.await.unwrap().unwrap(), StopReason::Cancelled);
    })
    .await;
}
