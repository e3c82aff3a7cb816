//! The words that are left of a command when it is judged, of one as somebody wrote it in a rule: for hints, where the two differ.

use super::{Word, program, split_words, transport, variables};

/// What a shell reads as more than words.
const SIGNS: &[char] = &[';', '|', '&', '<', '>', '(', ')', '{', '}', '`', '$', '#', '\n'];

/// `written` without what is taken off before an allow sees a command: assignments that change nothing, wrappers that only change
/// how, and the shell that carries a line of one command. None if nothing of it is.
#[must_use]
pub fn judged_words(written: &[String]) -> Option<Vec<String>> {
    if let Some((line, _)) = transport::inner_shell_line(written) {
        let words = split_words(line).filter(|words| !words.is_empty() && !line.contains(SIGNS))?;
        return Some(without_wrappers(&words));
    }
    let judged = without_wrappers(written);
    (judged != written).then_some(judged)
}

fn without_wrappers(written: &[String]) -> Vec<String> {
    let assigned = |word: &String| {
        let (name, value) = word.split_once('=').filter(|(name, _)| variables::is_name(name))?;
        // A star is any value.
        Some(!value.contains('*') && variables::is_inert(name, &Word::from(value)))
    };
    let before = written.iter().take_while(|word| assigned(word).is_some()).count();
    let (assignments, command) = written.split_at(before);
    if command.is_empty() {
        return written.to_vec();
    }
    let kept = assignments.iter().filter(|word| assigned(word) == Some(false));
    let command = command.get(program::wrapper_length(command)..).unwrap_or_default();
    kept.chain(command).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D3.27: what allows are compared with.
    #[test]
    fn given_what_is_taken_off_a_command_then_the_words_that_are_judged_are_left() {
        let judged = |line: &str| judged_words(&split_words(line).unwrap()).map(|words| words.join(" "));
        for (line, left) in [
            ("timeout 5 make *", "make *"),
            ("time make", "make"),
            ("nice -n 5 timeout 5 make", "make"),
            ("NODE_ENV=test npm test", "npm test"),
            ("NODE_ENV=test FOO=1 nice make", "FOO=1 make"),
            ("bash -lc make", "make"),
            ("sh -c 'timeout 5 make *'", "make *"),
        ] {
            assert_eq!(judged(line).as_deref(), Some(left), "{line}");
        }
        for line in [
            "make",
            "FOO=1 make",
            "NODE_ENV=* npm test",
            "sudo make",
            "env A=1 make",
            "xargs make",
            "bash -c 'a && b'",
            "bash x.sh",
            "timeout 5",
            "command -v make",
            "NODE_ENV=test",
        ] {
            assert_eq!(judged(line), None, "{line}");
        }
    }
}
