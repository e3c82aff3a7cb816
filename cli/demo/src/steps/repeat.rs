//! Many questions, one after the other, and nothing else: for measuring.

use std::collections::BTreeMap;

use super::write;
use crate::calls::{PermissionAnswer, permission_options};
use crate::turn::{DemoStop, Turn};

/// Asks `times` times for the same edit, does nothing, and says how often each answer came.
pub(crate) async fn run(turn: &Turn, times: u32) -> Result<(), DemoStop> {
    const FILE: &str = "loop.txt";
    let path = turn.session_path(FILE);
    let options = permission_options();
    let mut answers: BTreeMap<String, u32> =
        options.iter().map(|option| (option.option_id.to_string(), 0)).collect();
    for _ in 0..times {
        let answer = if turn.session.is_free() {
            "unasked".to_owned()
        } else {
            let call = write::write_call(turn, FILE, &path, "Nothing is written.\n", None);
            match turn.request_permission(&call, options.clone()).await? {
                PermissionAnswer::Chosen(id) => id.to_string(),
                PermissionAnswer::Error(_) => "error".to_owned(),
            }
        };
        *answers.entry(answer).or_default() += 1;
    }
    let counts: Vec<String> = answers.iter().map(|(answer, count)| format!("{answer} {count}")).collect();
    turn.say_at_once(format!("loop {times}: {}\n", counts.join(", ")))
}
