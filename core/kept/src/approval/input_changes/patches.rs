//! Patches among the texts of an input: those of diff and git, those that Codex made, and blocks to search for and replace. One of
//! which a line is not understood is none.

use mayi_call::Diff;

/// What a text comes to.
pub(super) struct ReadPatch {
    pub(super) diffs: Vec<Diff>,
    /// The diffs say all of it.
    pub(super) complete: bool,
}

/// The changes of `text`, to `path` where it names no file itself. `changed`: whether the call changes a file of this name.
pub(super) fn read_patch(
    text: &str,
    path: Option<&str>,
    changed: impl Fn(&str) -> bool,
) -> Option<ReadPatch> {
    let changed: &dyn Fn(&str) -> bool = &changed;
    let mut reader =
        PatchReader { path: path.map(str::to_owned), changed, diffs: Vec::new(), complete: true };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = lines.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
    let understood = if first == "*** Begin Patch" {
        reader.read_codex(&lines)
    } else if is_marker(first, &['<', '-'], "SEARCH") {
        reader.read_blocks(&lines)
    } else {
        reader.read_unified(&lines)
    };
    understood.filter(|()| !reader.diffs.is_empty())?;
    Some(ReadPatch { diffs: reader.diffs, complete: reader.complete })
}

struct PatchReader<'r> {
    /// The file that is changed from here on.
    path: Option<String>,
    changed: &'r dyn Fn(&str) -> bool,
    diffs: Vec<Diff>,
    complete: bool,
}

/// The two sides of a part of a file.
#[derive(Default)]
struct Sides {
    old: String,
    new: String,
    /// Which of them the last line was of.
    last: (bool, bool),
}

impl Sides {
    /// Takes a line as it stands in a patch. None: it is none.
    fn push(&mut self, line: &str) -> Option<()> {
        let (sign, text) = match line.split_at_checked(1) {
            // Some leave out the blank before a line without text.
            _ if matches!(line, "\n" | "\r\n") => (" ", line),
            Some((sign, text)) => (sign, text),
            None => return None,
        };
        match sign {
            " " => self.last = (true, true),
            "-" => self.last = (true, false),
            "+" => self.last = (false, true),
            // `\ No newline at end of file`
            "\\" => {
                if self.last.0 {
                    cut_line_end(&mut self.old);
                }
                if self.last.1 {
                    cut_line_end(&mut self.new);
                }
                return Some(());
            }
            _ => return None,
        }
        if self.last.0 {
            self.old.push_str(text);
        }
        if self.last.1 {
            self.new.push_str(text);
        }
        Some(())
    }
}

fn cut_line_end(text: &mut String) {
    if text.ends_with('\n') {
        text.pop();
    }
}

impl PatchReader<'_> {
    fn push(&mut self, sides: Sides, is_new: bool) -> Option<()> {
        let Sides { old, new, .. } = sides;
        let path = self.path.clone()?;
        self.diffs.push(Diff { path, old_text: (!is_new).then_some(old), new_text: new });
        Some(())
    }

    /// The file that a header names, as the call names it.
    fn set_path(&mut self, name: &str) -> Option<()> {
        let name = name.split('\t').next().unwrap_or_default().trim();
        let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
        let path = [name, bare].into_iter().find(|name| (self.changed)(name))?;
        self.path = Some(path.to_owned());
        Some(())
    }

    fn read_unified(&mut self, lines: &[&str]) -> Option<()> {
        let mut rest = lines.iter().copied();
        let mut from_nothing = false;
        while let Some(line) = rest.next() {
            let header = line.trim_end();
            if let Some(range) = header.strip_prefix("@@ ") {
                let (mut old, mut new) = hunk_counts(range)?;
                let mut sides = Sides::default();
                while old > 0 || new > 0 {
                    let line = rest.next()?;
                    sides.push(line)?;
                    if !line.starts_with('\\') {
                        (old, new) = (
                            old.checked_sub(u64::from(sides.last.0))?,
                            new.checked_sub(u64::from(sides.last.1))?,
                        );
                    }
                }
                // What says that the last line has no end stands behind it.
                let mut ahead = rest.clone();
                while let Some(line) = ahead.next().filter(|line| line.starts_with('\\')) {
                    sides.push(line)?;
                    rest = ahead.clone();
                }
                self.push(sides, from_nothing)?;
            } else if let Some(name) = header.strip_prefix("--- ") {
                from_nothing = name.split('\t').next() == Some("/dev/null");
                if !from_nothing {
                    self.set_path(name)?;
                }
            } else if let Some(name) = header.strip_prefix("+++ ") {
                if name.split('\t').next() != Some("/dev/null") {
                    self.set_path(name)?;
                }
            } else if !is_plain_header(header) {
                return None;
            }
        }
        Some(())
    }

    fn read_codex(&mut self, lines: &[&str]) -> Option<()> {
        let mut sides: Option<Sides> = None;
        let mut is_new = false;
        for line in lines.iter().copied().skip_while(|line| line.trim().is_empty()).skip(1) {
            let header = line.trim_end();
            let begins = header.starts_with("*** ") || header.starts_with("@@");
            let ends = begins && header != "*** End of File";
            if let Some(read) = sides.take_if(|_| ends) {
                self.push(read, is_new)?;
            }
            if let Some(name) = header.strip_prefix("*** Add File: ") {
                self.set_path(name)?;
                (sides, is_new) = (Some(Sides::default()), true);
            } else if let Some(name) = header.strip_prefix("*** Update File: ") {
                self.set_path(name)?;
                is_new = false;
            } else if let Some(name) = header.strip_prefix("*** Delete File: ") {
                // The card names it among what is touched.
                self.set_path(name)?;
                is_new = false;
            } else if let Some(place) = header.strip_prefix("@@") {
                // Where it is looked for is said by no diff.
                self.complete &= place.trim().is_empty();
                sides = Some(Sides::default());
            } else if header.starts_with("*** Move to: ") {
                self.complete = false;
            } else if header == "*** End Patch" || header == "*** End of File" {
            } else if begins {
                return None;
            } else if header.is_empty() && sides.is_none() {
            } else {
                sides.get_or_insert_default().push(line)?;
            }
        }
        match sides {
            // It has no end.
            Some(read) => self.push(read, is_new),
            None => Some(()),
        }
    }

    fn read_blocks(&mut self, lines: &[&str]) -> Option<()> {
        let mut sides: Option<Sides> = None;
        let mut is_new = false;
        for line in lines.iter().copied() {
            let mark = line.trim_end();
            match &mut sides {
                None if is_marker(mark, &['<', '-'], "SEARCH") => {
                    (sides, is_new) = (Some(Sides::default()), false)
                }
                None if mark.is_empty() => {}
                None => return None,
                Some(_) if !is_new && mark.len() >= 5 && mark.chars().all(|c| c == '=') => is_new = true,
                Some(_) if is_new && is_marker(mark, &['>', '+'], "REPLACE") => {
                    let read = sides.take()?;
                    self.push(read, false)?;
                }
                Some(read) if is_new => read.new.push_str(line),
                Some(read) => read.old.push_str(line),
            }
        }
        sides.is_none().then_some(())
    }
}

/// `<<<<<<< SEARCH` and its like.
fn is_marker(line: &str, signs: &[char], word: &str) -> bool {
    let Some(marks) = line.strip_suffix(word).or_else(|| line.strip_suffix('>')?.strip_suffix(word)) else {
        return false;
    };
    let marks = marks.trim_end();
    marks.len() >= 5 && signs.iter().any(|sign| marks.chars().all(|c| c == *sign))
}

/// A line before a hunk that says nothing which its diff does not.
fn is_plain_header(line: &str) -> bool {
    let plain = ["diff --git ", "index ", "Index: "];
    line.is_empty()
        || line.chars().all(|c| c == '=')
        || plain.iter().any(|start| line.starts_with(start))
        || ["new file mode 100644", "deleted file mode 100644"].contains(&line)
}

/// How many lines of both sides a hunk has: `-1,5 +1,6 @@`.
fn hunk_counts(range: &str) -> Option<(u64, u64)> {
    let mut parts = range.split(' ');
    let mut count = |sign: char| {
        let part = parts.next()?.strip_prefix(sign)?;
        let (line, lines) = part.split_once(',').unwrap_or((part, "1"));
        line.parse::<u64>().ok()?;
        lines.parse::<u64>().ok()
    };
    Some((count('-')?, count('+')?))
}
