//! What stands among the words of cargo and of rustup's other proxies, and is none of their options: the toolchain, and what
//! is handed on to rustc.

use super::analyzer::CommandAnalyzer;
use super::name;
use crate::shell::Word;

/// Programs that take `+TOOLCHAIN` as their first word, where rustup stands in for them.
const PROXIES: &[&str] =
    &["cargo", "rustc", "rustdoc", "rustfmt", "cargo-fmt", "cargo-clippy", "clippy-driver", "rust-analyzer"];
/// A wrapper and its options may stand before them.
const BEFORE: usize = 8;

/// Options of rustc with which it runs a program of the line's choice, or writes where the line says.
const WITH: &[&str] = &[
    "-o",
    "--out-dir",
    "--output",
    "--sysroot",
    "-Z",
    "-L",
    "@",
    "--extern",
    "--test-runtool",
    "--test-builder",
];
/// Options of rustc whose values may end in the name of a file.
const INTO: &[&str] = &["--emit", "--print", "--target", "asm", "dep-info", "llvm-ir", "mir", "obj", "link"];
/// Those of `-C` are these.
const CODE: &[&str] = &[
    "link",
    "dlltool",
    "profile-generate",
    "incremental",
    "save-temps",
    "llvm-args",
    "remark-dir",
    "passes",
];

/// Looks for both.
pub(super) fn handed_on(judge: &mut CommandAnalyzer<'_>) {
    let words = judge.words;
    let literal = |place: usize| words.get(place).and_then(Word::literal);
    let proxy = |word: &Word| word.literal().is_some_and(|text| PROXIES.contains(&name::base_name(text)));
    let Some(at) = words.iter().take(BEFORE).position(proxy) else { return };
    let chosen = words.get(at + 1).is_some_and(|word| word.known_prefix().starts_with('+'));
    // `+/folder` is a toolchain that was never installed: what lies there in `bin` runs.
    if chosen && literal(at + 1).is_none_or(|text| text.contains(['/', '\\'])) {
        judge.add_plain_caveat("the toolchain is a folder, and what lies there runs", vec![at + 1]);
    }
    // Options of cargo's may stand before the sub-command.
    let handing =
        |word: &Word| word.literal().is_none_or(|text| matches!(text, "rustc" | "rustdoc" | "clippy"));
    if !words.iter().skip(at + 1).take_while(|word| word.literal() != Some("--")).any(handing) {
        return;
    }
    let Some(end) = words.iter().position(|word| word.literal() == Some("--")) else { return };
    let mut code = false;
    for (place, word) in words.iter().enumerate().skip(end + 1) {
        let text = word.known_prefix();
        let value = text.strip_prefix("--codegen=").or_else(|| text.strip_prefix("-C")).unwrap_or(text);
        let is_code = code || value.len() < text.len();
        code = matches!(text, "-C" | "--codegen");
        let named = if is_code { CODE } else { WITH };
        let into = INTO.iter().any(|name| value.starts_with(name)) && value.contains(['/', '\\']);
        if into || named.iter().any(|name| value.starts_with(name)) || word.literal().is_none() {
            judge.add_plain_caveat(
                "it hands rustc an option that runs a program or writes a file",
                vec![place],
            );
        }
    }
}
