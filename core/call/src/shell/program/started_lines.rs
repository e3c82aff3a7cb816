//! Lines that a program in another language says it starts: `os.system("touch x")`, `run(["touch", "x"])`, `qx(touch x)`. Whoever
//! writes such a program can hide what it does; only what is plain is looked for, and only denials look at it. What a program
//! prints, searches or writes is text.

use crate::shell::quote_word;

/// What languages call the functions that start a program, in small letters.
const STARTERS: &[&str] = &[
    "system",
    "exec",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "execsync",
    "execfile",
    "execfilesync",
    "execute",
    "shell_exec",
    "passthru",
    "proc_open",
    "spawn",
    "spawnsync",
    "spawnl",
    "spawnle",
    "spawnlp",
    "spawnv",
    "spawnve",
    "spawnvp",
    "posix_spawn",
    "posix_spawnp",
    "popen",
    "popen2",
    "popen2e",
    "popen3",
    "popen4",
    "run",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "capture2",
    "capture2e",
    "capture3",
    "pipeline",
    "pipeline_r",
    "pipeline_w",
    "open2",
    "open3",
    "syscmd",
    "esyscmd",
    "create_subprocess_shell",
    "create_subprocess_exec",
    "command",
];
/// Before the first text, a call may have so many characters of other arguments.
const ASIDE: usize = 64;
/// So much of one text is read: what follows does not change what it begins with, and a program may have a text behind each name.
const LONGEST: usize = 2_048;

/// The lines, in their order; `backquotes`: in this language what stands between them is run.
pub(in crate::shell) fn started_lines(text: &str, backquotes: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |line: String| {
        let line = line.trim();
        if line.contains(' ') && !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    };
    let renamed = renamed_starters(text);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(word);
        if name.is_empty() {
            let tail = rest.get(first.len_utf8()..).unwrap_or_default();
            if first == '`' && backquotes {
                read_quoted_text(tail, '`').into_iter().for_each(|(line, _)| add(line));
            } else if first == '%' && tail.starts_with('x') {
                delimited_line(tail.get(1..).unwrap_or_default()).into_iter().for_each(&mut add);
            }
            rest = tail;
            continue;
        }
        let lower = name.to_ascii_lowercase();
        if lower == "qx" {
            delimited_line(behind).into_iter().for_each(&mut add);
        } else if lower == "open" {
            // Perl starts what stands behind or before `|`.
            let piped = |line: &String| line.trim().starts_with('|') || line.trim().ends_with('|');
            let found = call_arguments(behind).into_iter().filter(piped);
            found.for_each(|line| add(line.trim().trim_matches('|').to_owned()));
        } else if STARTERS.contains(&lower.as_str()) || renamed.contains(&name) {
            let arguments = call_arguments(behind);
            if let [first, others @ ..] = arguments.as_slice() {
                add(first.clone());
                if !others.is_empty() {
                    let words: Vec<String> = arguments.iter().map(|word| word_of(word)).collect();
                    add(words.join(" "));
                }
            }
        }
        rest = behind;
    }
    lines
}

/// Other names that a program gives such a function: `from os import system as s`, `{ execSync: e }`, `s = os.system`.
fn renamed_starters(text: &str) -> Vec<&str> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for starter in STARTERS {
        for (at, _) in lower.match_indices(starter) {
            let behind = text.get(at + starter.len()..).unwrap_or_default();
            let before = text.get(..at).unwrap_or_default();
            if behind.starts_with(part) || before.ends_with(part) {
                continue;
            }
            let after = behind.trim_start();
            let to = after.strip_prefix("as ").or(after.strip_prefix(':')).map(str::trim_start);
            let to = to.and_then(|to| to.get(..to.find(|c| !part(c)).unwrap_or(to.len())));
            let module = before.trim_end_matches(|c: char| part(c) || c == '.');
            let from =
                module.trim_end().strip_suffix('=').map(str::trim_end).filter(|_| !after.starts_with('('));
            let from = from.and_then(|from| from.get(from.rfind(|c| !part(c)).map_or(0, |at| at + 1)..));
            found.extend(to.into_iter().chain(from).filter(|name| !name.is_empty()));
        }
    }
    found
}

/// Whether code could start the program of this name: it speaks of it and starts something, or what it starts is not told
/// by one text that stands there as it is (`system("g"."it")`, `run(args)`).
pub(in crate::shell) fn may_start(text: &str, program: &str) -> bool {
    let speaks = text.contains(program);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(word);
        let started = match name {
            "" => {
                let tail = rest.get(first.len_utf8()..).unwrap_or_default();
                let quoted = || read_quoted_text(tail, '`').and_then(|(_, after)| raw_text(tail, after));
                let backquotes = first == '`' && quoted().is_none_or(|line| speaks || !is_told(line));
                let percent = first == '%' && tail.starts_with("x") && speaks;
                rest = tail;
                backquotes || percent
            }
            name => {
                rest = behind;
                let lower = name.to_ascii_lowercase();
                match lower.as_str() {
                    "qx" => true,
                    "open" => {
                        let piped = call_arguments(behind).iter().any(|text| text.contains('|'));
                        piped && (speaks || !is_told_call(behind))
                    }
                    "eval" => is_call(behind, true),
                    lower if STARTERS.contains(&lower) => {
                        let bare = matches!(lower, "system" | "exec" | "spawn" | "popen");
                        is_call(behind, bare) && (speaks || !is_told_call(behind))
                    }
                    _ => false,
                }
            }
        };
        if started {
            return true;
        }
    }
    false
}

/// Whether what stands behind the name of a function calls it with something; `bare`: also without brackets around that.
fn is_call(behind: &str, bare: bool) -> bool {
    let trimmed = behind.trim_start();
    match trimmed.strip_prefix('(') {
        Some(inside) => !inside.trim_start().starts_with(')'),
        None => {
            trimmed.starts_with(['"', '\'', '`'])
                || bare && (trimmed.len() < behind.len() || trimmed.starts_with(['$', '@', '{']))
        }
    }
}

/// Whether the first that a call is given is one text, which is all that stands there, and in which nothing is put.
fn is_told_call(behind: &str) -> bool {
    let start = behind.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '{'));
    let Some(quote) = start.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return false };
    let tail = start.get(1..).unwrap_or_default();
    let Some((_, after)) = read_quoted_text(tail, quote) else { return false };
    let ends = after.trim_start().chars().next().is_none_or(|c| matches!(c, ',' | ')' | ']' | '}' | ';'));
    ends && raw_text(tail, after).is_some_and(is_told)
}

/// A text as it is written, up to the quote before `after`.
fn raw_text<'t>(tail: &'t str, after: &str) -> Option<&'t str> {
    tail.get(..tail.len().checked_sub(after.len() + 1)?)
}

/// Whether a line says by itself what it starts: no shell, and nothing that one would put in.
fn is_told(line: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./ =:,@+-".contains(c);
    let first = line.split_whitespace().next();
    line.chars().all(plain) && first.is_some_and(|name| !super::runs_others(name))
}

/// A word of a line; what is not known stays that.
fn word_of(text: &str) -> String {
    if text == UNKNOWN { text.to_owned() } else { quote_word(text) }
}

/// An argument that is no text.
const UNKNOWN: &str = "${_}";

/// The texts that a call is given, from the first one on; lists count by what they hold.
fn call_arguments(behind: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = behind;
    let begins = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | '`');
    if !rest.starts_with(begins) {
        return found;
    }
    let mut aside = 0;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '"' | '\'' | '`' => {
                let Some((text, after)) = read_quoted_text(tail, c) else { break };
                found.push(text);
                rest = after;
                aside = 0;
                continue;
            }
            ',' | '[' | '(' | '{' | '\\' => {}
            // The list is whole: what is behind it is none of the program's words.
            ']' if !found.is_empty() => break,
            c if c.is_whitespace() => {}
            c if found.is_empty()
                && aside < ASIDE
                && (c.is_ascii_alphanumeric() || "_$*&.:=<>-".contains(c)) =>
            {
                aside += 1;
            }
            // A letter that says how the text is written: `r"..."`.
            'r' | 'b' | 'f' | 'u' | 'R' | 'B' | 'F' if tail.starts_with(['"', '\'', 'r', 'b']) => {}
            c if c.is_ascii_alphanumeric() || c == '_' || c == '$' => {
                // What else it is given is not known.
                let separated = behind
                    .get(..behind.len() - rest.len())
                    .unwrap_or_default()
                    .trim_end()
                    .ends_with([',', '[']);
                if separated {
                    found.push(UNKNOWN.to_owned());
                }
                break;
            }
            _ => break,
        }
        rest = tail;
    }
    found
}

/// A text up to the quote that ends it, or as much of it as is read, with its escapes read; and what stands behind.
pub(super) fn read_quoted_text(text: &str, quote: char) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == quote || at >= LONGEST {
            return Some((found, text.get(at + c.len_utf8()..).unwrap_or_default()));
        }
        match c {
            '\\' => match chars.next()?.1 {
                'n' => found.push('\n'),
                't' => found.push('\t'),
                other => found.push(other),
            },
            c => found.push(c),
        }
    }
    None
}

/// `(LINE)`, `{LINE}`, `!LINE!`.
fn delimited_line(behind: &str) -> Option<String> {
    let behind = behind.trim_start();
    let open =
        behind.chars().next().filter(|c| !c.is_alphanumeric() && !matches!(c, ',' | ';' | '=' | ')'))?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    read_quoted_text(behind.get(open.len_utf8()..)?, close).map(|(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is started is found wherever it stands, and however its words are given. Attack 280.
    #[test]
    fn given_code_that_starts_a_program_then_its_line_is_found() {
        for code in [
            "import os; os.system(\"touch x\")",
            "os.system( r'touch x' )",
            "os.system(\"\\ttouch x\")",
            "subprocess.run([\"touch\", \"x\"], check=True)",
            "subprocess.Popen(['touch','x'])",
            "passthru(\"touch x\");",
            "system \"touch x\"",
            "exec('touch x')",
            "require(\"child_process\").spawnSync(\"touch\", [\"x\"])",
            "execSync(`touch x`)",
            "Open3.capture2(\"touch x\")",
            "open3(0,0,0,\"touch x\")",
            "open F, \"touch x |\"",
            "open(my $f, \"-|\", \"ls\"); open(F,\"|touch x\")",
            "qx!touch x!",
            "%x(touch x)",
            "`touch x`",
        ] {
            assert!(
                started_lines(code, true).iter().any(|line| line == "touch x"),
                "{code}: {:?}",
                started_lines(code, true)
            );
        }
        let long = "print(\"a b\")\n".repeat(300) + "os.system(\"touch x\")";
        assert_eq!(started_lines(&long, false), ["touch x"]);
        let begins = format!("os.system(\"touch x{}\")", " y".repeat(3_000));
        assert!(
            started_lines(&begins, false)
                .iter()
                .all(|line| line.starts_with("touch x y") && line.len() <= LONGEST)
        );
        assert_eq!(started_lines("spawn(\"touch\", args)", false), ["touch ${_}"]);
        assert_eq!(started_lines("run([\"sh\", \"-c\", \"touch x\"])", false), ["sh -c 'touch x'"]);
    }

    /// What is started is another program only where the code says so in plain.
    #[test]
    fn given_code_then_what_it_starts_may_be_a_program_unless_it_tells_otherwise() {
        for code in [
            "system(\"git tag x\")",
            "system(\"git\",\"tag\",\"x\")",
            "system \"git tag x\"",
            "`git tag x`",
            "`$x`",
            "qx(git tag)",
            "system(\"g\".\"it tag x\")",
            "system(\"g\" . \"it tag x\")",
            "system(\"\\x67it tag x\")",
            "system($x)",
            "system @ARGV",
            "exec {$x} @y",
            "os.system(\"g\"+\"it tag x\")",
            "subprocess.run(args)",
            "subprocess.run([\"sh\", \"-c\", x])",
            "open(F, \"git tag x |\")",
            "open(F, \"-|\", \"g\".\"it\")",
            "eval(pack(\"H*\", \"00\"))",
        ] {
            assert!(may_start(code, "git"), "{code}");
        }
        for code in [
            "print 1",
            "print \"git tag x\"",
            "s/git/digit/",
            "system(\"ls -l\")",
            "system(\"make\", \"all\")",
            "subprocess.run([\"cargo\", \"test\"], check=True)",
            "print(platform.system(), 1)",
            "open(\"a.txt\").read()",
            "app.run()",
        ] {
            assert!(!may_start(code, "git"), "{code}");
        }
    }

    /// What is printed, searched for or written is none.
    #[test]
    fn given_code_that_only_has_such_words_then_nothing_is_found() {
        for code in [
            "print(\"touch x\")",
            "open(\"CHANGELOG.md\",\"a\").write(\"touch targets are larger\\n\")",
            "open(\"x.txt\").read().replace(\"touch me\",\"click\")",
            "print(platform.system(), \"touch base\")",
            "print(sys.executable, \"touch base\")",
            "print(\"touch base with the operating system\")",
            "print \"touch the filesystem: \", \"touch x\"",
            "console.log(process.execPath, \"touch base\")",
            "console.log(`touch ${1+1}`)",
            "const re=/touch/; re.exec(\"touch\")",
        ] {
            assert_eq!(started_lines(code, false), Vec::<String>::new(), "{code}");
        }
        assert_eq!(
            started_lines("subprocess.run([\"git\",\"commit\",\"-m\",\"touch up docs\"])", false),
            ["git commit -m 'touch up docs'"]
        );
    }
}
