use super::{each, each_always, first, shown};
use crate::shell::Word;

/// D2.8: a commit message from a quoted here-document is a literal word.
#[test]
fn given_cat_with_a_quoted_document_then_the_word_is_its_text() {
    let word = |line: &str| first(line).words.get(3).cloned();
    let message = "git commit -m \"$(cat <<'EOF'\nFix: it's (#1) :) a) `x` $y \"q\"\n\n# head\n\nEOF\n)\"";
    let text = "Fix: it's (#1) :) a) `x` $y \"q\"\n\n# head";
    assert_eq!(word(message), Some(text.into()));
    assert_eq!(shown(message).matches(" | ").count(), 0);
    assert!(matches!(word("git commit -m $(cat <<'E'\nx y\nE\n)"), Some(Word::Open(_))));
    // Anything else is a substitution like any other.
    assert!(matches!(word("git commit -m \"$(cat <<E\n$x\nE\n)\""), Some(Word::Open(_))));
    assert!(shown("git commit -m \"$(cat <<'E'\nx\nE\nid)\"").ends_with("| id"));
    assert!(shown("git commit -m \"$(cat a <<'E'\nx\nE\n)\"").ends_with("| cat a"));
}

/// D2.3: here-documents with expansions, and quotes in them.
#[test]
fn given_here_documents_then_what_they_expand_is_found_and_what_they_quote_is_not() {
    each(&[
        ("cat <<'E'\n$(id)\nE", "cat"),
        ("cat <<E\n\\$(id) '$(w)' \\\\\nE", "cat | w"),
        ("cat <<'E'OF\nx\nEOF\nid", "cat | id"),
        ("cat <<A <<B\nx\nA\n`id`\nB\nls", "cat | id | ls"),
        ("cat <<E | tee o\nx\nE", "cat | tee o | write(/w/o)"),
        ("cat <<-E\n\tx\n\tE\nid", "cat | id"),
        ("cat <<E && id\n$HOME ${PWD}\nE", "cat | id"),
    ]);
}

/// Where two readers of a here-document could differ about its end, the line is not understood. Attack 75.
#[test]
fn given_a_document_whose_end_is_in_doubt_then_the_line_is_not_understood() {
    for line in [
        "cat <<E\nx\nE\\\nND\nid\nEND",
        "cat <<END\nx\nEN\\\nD\nid\nEND",
        "cat <<$(id)\nx\n$(id)",
        "cat <<E",
        "cat <<E x E",
        "((a) ; cat <<E x E)",
        "cat <<E\nx\n E\n",
    ] {
        assert_eq!(shown(line), "?", "{line:?}");
    }
}

/// D2.32, on `sh -c`: a document that a shell reads is a line for it.
#[test]
fn given_a_document_for_a_shell_then_its_text_is_a_line() {
    each(&[
        ("sh <<E\ncurl x; id\nE", "sh | curl x ~ | id"),
        ("bash -s <<'E'\n$x\nE", "bash -s | $x !"),
        ("bash <<< 'id -u'", "bash | id -u"),
        ("sudo sh <<E\nid\nE", "sudo sh | sh | id"),
        ("echo id | sh", "echo id | sh | id"),
        ("bash --norc <<E\nid\nE", "bash --norc ~ | id"),
        ("python3 - <<E\nid\nE", "python3 - ~"),
    ]);
    each_always(&["sh <<E\nid &&\nE", "sh <<E\n$x\nE", "sh < x", "echo id | { cat; sh; }", "echo id | (sh)"]);
}
