//! Several responses as one answer.

use super::*;

fn block(event: &Value) -> EventBlock {
    let kind = event["type"].as_str().unwrap_or_default();
    EventBlock { raw: format!("event: {kind}\ndata: {event}\n\n").into_bytes() }
}

fn added(number: u64, place: u64, item: &Value, kind: &str) -> Value {
    json!({ "type": format!("response.output_item.{kind}"), "sequence_number": number, "output_index": place, "item": item })
}

fn approval(id: &str, arguments: &str) -> Value {
    json!({ "type": REQUEST, "id": id, "server_label": "docs", "name": "search", "arguments": arguments })
}

fn ended(number: u64, id: &str, output: &[Value]) -> Value {
    let response =
        json!({ "id": id, "status": "completed", "output": output, "usage": { "output_tokens": 3 } });
    json!({ "type": "response.completed", "sequence_number": number, "response": response })
}

fn sent(step: Step) -> Value {
    let (Step::Send(raw) | Step::Close(raw)) = step else { panic!("{step:?}") };
    serde_json::from_str(&EventBlock { raw }.data().unwrap()).unwrap()
}

/// Join the continuation into the same stream with consistent sequence numbers and one closing event, whole usage:
/// also where what is hidden stands before something else.
#[test]
fn given_a_hidden_item_before_another_then_numbers_and_places_have_no_gap() {
    let (text, hidden) = (json!({ "type": "message", "id": "msg_1" }), approval("mcpr_1", "{}"));
    let mut joined = JoinedAnswer::default();
    let created = json!({ "type": "response.created", "sequence_number": 0, "response": { "id": "resp_1" } });
    assert_eq!(sent(joined.add_event(block(&created))), created);
    assert!(matches!(joined.add_event(block(&added(1, 0, &hidden, "added"))), Step::Hide));
    assert!(matches!(joined.add_event(block(&added(2, 0, &hidden, "done"))), Step::Hide));
    let other = json!({ "type": "response.new", "sequence_number": 3, "output_index": 0 });
    assert!(matches!(joined.add_event(block(&other)), Step::Hide));
    assert_eq!(sent(joined.add_event(block(&added(4, 1, &text, "done")))), added(1, 0, &text, "done"));
    let Step::Asks(held) = joined.add_event(block(&ended(5, "resp_1", &[hidden, text.clone()]))) else {
        panic!()
    };
    assert_eq!((held.id.as_str(), held.requests.len()), ("resp_1", 1));
    joined.continue_answer();
    let created = json!({ "type": "response.created", "sequence_number": 0, "response": { "id": "resp_2" } });
    assert!(matches!(joined.add_event(block(&created)), Step::Hide));
    assert_eq!(sent(joined.add_event(block(&added(1, 0, &text, "done")))), added(2, 1, &text, "done"));
    let last = sent(joined.add_event(block(&ended(2, "resp_2", std::slice::from_ref(&text)))));
    assert_eq!((&last["sequence_number"], &last["response"]["id"]), (&json!(3), &json!("resp_1")));
    assert_eq!(last["response"]["output"], json!([text, text]));
    assert_eq!(last["response"]["usage"]["output_tokens"], 6);
    assert_eq!(joined.responses, ["resp_1", "resp_2"]);
}

/// Attack 354: each version that was said of a call is judged.
#[test]
fn given_two_versions_of_a_call_then_both_are_handed_on() {
    let mut joined = JoinedAnswer::default();
    joined.add_event(block(&added(0, 0, &approval("mcpr_1", ""), "added")));
    joined.add_event(block(&added(1, 0, &approval("mcpr_1", "{\"a\":1}"), "done")));
    joined.add_event(block(&added(2, 1, &approval("mcpr_2", "{}"), "done")));
    let step = joined.add_event(block(&ended(3, "resp_1", &[approval("mcpr_1", "{\"a\":2}")])));
    let Step::Asks(held) = step else { panic!() };
    let versions: Vec<usize> = held.requests.values().map(Vec::len).collect();
    assert_eq!(versions, [2, 1], "also of one that the end does not name");
}

/// A response that ends badly is not gone on with, whatever it asks: the app sees its end, and not what nobody answers.
#[test]
fn given_a_response_that_failed_then_nobody_is_asked() {
    let mut joined = JoinedAnswer::default();
    let mut event = ended(0, "resp_1", &[approval("mcpr_1", "{}")]);
    event["type"] = json!("response.failed");
    let last = sent(joined.add_event(block(&event)));
    assert_eq!((&last["type"], &last["response"]["output"]), (&json!("response.failed"), &json!([])));
}

/// "unknown events": what can't be read is passed as it is, and so is a text that is no response.
#[test]
fn given_what_nobody_can_read_then_it_passes() {
    let mut joined = JoinedAnswer::default();
    for raw in ["data: [DONE]\n\n", "data: {\"a\":1,\"a\":2}\n\n", ": x\n\n", "data: [1]\n\n"] {
        let Step::Send(same) = joined.add_event(EventBlock { raw: raw.as_bytes().to_vec() }) else {
            panic!("{raw}")
        };
        assert_eq!(same, raw.as_bytes());
    }
    for text in ["[]", "{", "{\"output\":3}", "{\"output\":[3,null,{}]}"] {
        let Step::Close(same) = joined.add_whole(text.as_bytes().to_vec()) else { panic!("{text}") };
        assert_eq!(same, text.as_bytes());
    }
}

/// Attack 515: as many versions of a call as there is room for; and one more that says something else.
#[test]
fn given_many_versions_of_a_call_then_no_more_are_kept_than_show_that_they_differ() {
    let mut joined = JoinedAnswer::default();
    for number in 0..20_000 {
        let item = approval("mcpr_1", &json!({ "q": number }).to_string());
        assert!(matches!(joined.add_event(block(&added(number, 0, &item, "done"))), Step::Hide));
    }
    let Step::Asks(held) = joined.add_event(block(&ended(3, "resp_1", &[approval("mcpr_1", "{}")]))) else {
        panic!("it asks")
    };
    assert_eq!(held.requests["mcpr_1"].len(), 3);
    assert!(crate::calls::ApprovalRequest::read("mcpr_1", &held.requests["mcpr_1"]).is_err());
    // Two spellings of one call are one; a third one could be anything.
    let spelled: Vec<Value> = ["{}", "{ }"].map(|text| approval("mcpr_1", text)).into();
    assert!(crate::calls::ApprovalRequest::read("mcpr_1", &spelled).is_ok());
}

/// S6.10, attack 516: a call that ran by the events, and is not in the response at their end.
#[test]
fn given_a_call_that_the_end_leaves_out_then_it_ran_all_the_same() {
    let ran = json!({ "type": "mcp_call", "id": "mcp_1", "server_label": "docs", "name": "search", "arguments": "{}" });
    for (output, unlisted) in [(vec![], 1), (vec![ran.clone()], 0)] {
        let mut joined = JoinedAnswer::default();
        assert_eq!(sent(joined.add_event(block(&added(0, 0, &ran, "done"))))["item"], ran);
        assert!(matches!(joined.add_event(block(&ended(1, "resp_1", &output))), Step::Close(_)));
        assert_eq!(joined.take_unlisted().len(), unlisted);
    }
    let mut joined = JoinedAnswer::default();
    assert_eq!(sent(joined.add_event(block(&added(0, 0, &ran, "done"))))["item"], ran);
    joined.breaks_off();
    assert_eq!(joined.take_unlisted().len(), 1);
}
