//! Tasks in files that have no format of data: a line that begins a task is looked for, and no more is read.
//!
//! What is found is held to `name`, so a line that only looks like a task's can add no more than a usual name.

/// The recipes of a `justfile`: `name:`, `@name arg='x':`, and not `name := value`.
pub(super) fn just_recipes(text: &str) -> Vec<String> {
    let recipe = |line: &str| {
        let line = line.strip_prefix('@').unwrap_or(line);
        let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))?;
        let (name, rest) = line.split_at_checked(end)?;
        let keyword = matches!(name, "set" | "alias" | "export" | "import" | "mod" | "unexport");
        // What begins with `_` is not for people.
        let is = has_plain_colon(rest)
            && !keyword
            && !name.starts_with('_')
            && (rest.starts_with([':', ' ', '\t']));
        (is && !name.is_empty()).then(|| name.to_owned())
    };
    text.lines().filter_map(recipe).collect()
}

/// Whether a colon that assigns nothing follows.
fn has_plain_colon(rest: &str) -> bool {
    rest.find(':').and_then(|at| rest.get(at + 1..)).is_some_and(|behind| !behind.starts_with(['=', ':']))
}

/// The targets of a makefile: `a b: c`, and neither `a := b` nor `%.o: %.c`.
pub(super) fn make_targets(text: &str) -> Vec<String> {
    let targets = |line: &str| {
        let (before, behind) = line.split_once(':')?;
        let plain = !line.starts_with(['\t', ' ', '#', '.']) && !before.contains(['=', '$', '%', '#']);
        (plain && !behind.starts_with(['=', ':'])).then(|| before.to_owned())
    };
    let found = text.lines().filter_map(targets);
    found.flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The tasks of a `Taskfile.yml`: the keys one step below `tasks:`. A reader of YAML would have to unfold anchors that
/// somebody else wrote, for names that stand at the beginning of their lines.
pub(super) fn taskfile_tasks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut within = false;
    let mut depth: Option<usize> = None;
    for line in text.lines() {
        let bare = line.trim_start_matches(' ');
        let step = line.len() - bare.len();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        if step == 0 {
            within = line.trim_end() == "tasks:";
            depth = None;
            continue;
        }
        if !within || *depth.get_or_insert(step) != step {
            continue;
        }
        let key = bare.split_once(": ").map(|(key, _)| key).or_else(|| bare.trim_end().strip_suffix(':'));
        found.extend(key.map(|key| key.trim_matches(['"', '\'']).to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{just_recipes, make_targets, taskfile_tasks};

    #[test]
    fn given_a_justfile_then_its_recipes_are_found() {
        let text = "set shell := [\"x\"]\nv := 'a: b'\nalias t := test\n# deploy: no\ntest filter='a:b' *rest:\n    echo x: y\n@lint: test\n_own:\n[private]\nbuild target: (test target)\nmod sub\n";
        assert_eq!(just_recipes(text), ["test", "lint", "build"]);
    }

    #[test]
    fn given_a_makefile_then_its_targets_are_found() {
        let text = "X := a\nY::=b\n.PHONY: test\ntest check: all\n\techo a: b\n%.o: %.c\n$(X): y\nall:\n# no: x\ndouble:: x\n";
        assert_eq!(make_targets(text), ["test", "check", "all"]);
    }

    #[test]
    fn given_a_taskfile_then_its_tasks_are_found() {
        let text = "version: '3'\nvars:\n  test: x\ntasks:\n  # no: x\n  build:\n    cmds:\n      - echo\n    deps: [test]\n  'test:unit':\n    cmd: x\n  lint: golangci-lint run\nincludes:\n  docs: x\n";
        assert_eq!(taskfile_tasks(text), ["build", "test:unit", "lint"]);
    }
}
