//! Cards that are read with one look, where there is no more room: a desktop's notification (D6.33).

use mayi_policy::Effect;

use super::{Card, choice};

/// So many characters are read where a notification shows them, before anybody opens it.
const MAX_CHARACTERS: usize = 160;

/// What a line for a shell may have beside it in a tool's input: nothing of it changes what runs.
const BESIDE_A_LINE: &[&str] = &["command", "description", "timeout"];

/// All that `card` asks for, in one row, if it can be allowed from there: a line for a shell or a file that is read, short
/// enough, in characters that are what they look like, once, and not what is asked about always.
#[must_use]
pub fn one_line_summary(card: &Card) -> Option<String> {
    let always = card.why.iter().any(|finding| finding.effect == Effect::Ask && finding.always);
    let offered = card.options.iter().any(|option| option.option_id == choice::ALLOW_ONCE);
    let content = card.tool_call.content.as_array().is_some_and(|content| !content.is_empty());
    let more = card.server.is_some() || !card.env.is_empty() || !card.not_shown.is_empty() || content;
    if always || !offered || more || !is_plain_text(&card.cwd) {
        return None;
    }
    let input = card.tool_call.raw_input.as_object();
    let line = input.and_then(|input| input.get("command")).and_then(|line| line.as_str());
    let kinds = || card.accesses.iter().map(|access| access.access.as_str());
    let text = match (line, card.accesses.as_slice()) {
        (Some(line), _) if kinds().any(|kind| kind == "shell") => {
            let alone = input?.keys().all(|key| BESIDE_A_LINE.contains(&key.as_str()));
            // A list of lines, or what does not come of a line, is more than it.
            (alone && kinds().all(|kind| kind != "mcp" && kind != "mode")).then(|| line.to_owned())?
        }
        (None, [only]) if only.access == "read" => format!("read {}", only.display),
        _ => return None,
    };
    (text.len() <= MAX_CHARACTERS && is_plain_text(&text)).then_some(text)
}

/// Whether every character looks like what it is, on a screen that draws text from left to right and joins blanks.
fn is_plain_text(text: &str) -> bool {
    let looks = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    !text.is_empty() && text.bytes().all(looks) && text.trim() == text && !text.contains("  ")
}
