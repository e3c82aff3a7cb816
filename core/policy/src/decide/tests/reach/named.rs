//! Protected names that the line itself says otherwise than in one word: in variables, by what its commands print, or by how a
//! word ends.

use super::*;

fn of_effect(policy: &Policy, scene: &Scene, lines: &[String], allowed: bool) -> Vec<String> {
    let is = |line: &&String| (in_mode(policy, &scene.shell(line), Mode::Auto).effect == Allow) == allowed;
    lines.iter().filter(is).cloned().collect()
}

fn none_allowed(policy: &Policy, scene: &Scene, lines: &[String], least: usize) {
    let wrong = of_effect(policy, scene, lines, true);
    held(&wrong, lines.len(), least);
}

fn all_allowed(policy: &Policy, scene: &Scene, lines: &[&str]) {
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    held(&of_effect(policy, scene, &lines, false), lines.len(), lines.len());
}

/// Only what is protected by itself, and no rule.
fn protected(scene: &Scene) -> Policy {
    let places = PatternBases {
        home: Some(scene.home.clone()),
        roots: vec![scene.root.clone()],
        ..PatternBases::default()
    };
    Policy { protection: Protection::built_in(&places, &[]).unwrap(), ..Policy::default() }
}

fn scene() -> Scene {
    let scene = Scene::new();
    scene.repository();
    for folder in [".git/hooks", "d2", "src/hooks"] {
        std::fs::create_dir_all(scene.root.join(folder)).unwrap();
    }
    for file in ["d2/pre-commit", "pre-commit", "rc", "other", "src/hooks/use.ts", "a"] {
        std::fs::write(scene.root.join(file), "x").unwrap();
    }
    scene
}

/// Lines that write what stands at `{}`, a word.
const WRITES: &[&str] = &[
    "cp d2/pre-commit {}",
    "cp -t . a && cp a {}",
    "mv other {}",
    "ln -sf ../other {}",
    "install -m 755 d2/pre-commit {}",
    "rsync -a other {}",
    "tee {} < other",
    "cat other > {}",
    "echo x >> {}",
    "dd if=other of={}",
    "sed -i s/a/b/ {}",
    "sort -o {} other",
    "nice cp other {}",
    "env cp other {}",
    "xargs -n1 cp other {} < /dev/null",
    "if true; then cp other {}; fi",
    "(cp other {})",
];

/// D2.9, D4.8, attack 223: a variable whose value stands in the line is that value to what writes.
#[test]
fn given_a_protected_name_in_variables_then_writing_there_is_asked_about() {
    let scene = scene();
    let policy = protected(&scene);
    let settings = [
        ("x=.git; ", "$x/hooks/pre-commit"),
        ("x=.git; ", "\"$x/hooks/pre-commit\""),
        ("x=.git; y=hooks; ", "$x/$y/pre-push"),
        ("x=.git; y=$x/hooks; ", "\"$y\"/commit-msg"),
        ("x=.vs; ", "\"${x}code/tasks.json\""),
        ("x=.envr; ", "${x}c"),
        ("export x=.git; ", "$x/config"),
        ("if true; then x=.git; fi; ", "$x/hooks/update"),
        ("x=a; x=.claude; ", "$x/settings.json"),
        ("x=.gi; x+=t; ", "$x/hooks/pre-commit"),
        ("read x <<< .vscode; ", "$x/tasks.json"),
        ("read a x <<< 'b .vscode'; ", "$x/tasks.json"),
        ("set -- .vscode; ", "$1/tasks.json"),
        ("a=(.vscode b); ", "${a[0]}/tasks.json"),
        ("printf -v x %s .vscode; ", "$x/tasks.json"),
        ("", "${x:-.git}/hooks/pre-commit"),
        ("x=.gitz; ", "${x%z}/hooks/pre-commit"),
        ("x=z.git; ", "${x#z}/hooks/pre-commit"),
        ("x=$(echo .vscode); ", "$x/tasks.json"),
        ("declare x=.vscode; ", "$x/tasks.json"),
        ("x='.vsco*'; ", "$x/tasks.json"),
    ];
    let mut lines = Vec::new();
    for (sets, word) in settings {
        lines.extend(WRITES.iter().map(|write| format!("{sets}{}", write.replace("{}", word))));
    }
    for value in [".git/hooks", ".vscode", ".claude"] {
        lines.push(format!("f() {{ cp d2/pre-commit $x; }}; x={value}; f"));
        lines.push(format!("f() {{ cp d2/pre-commit $1/; }}; f {value}"));
        lines.push(format!("sh -c 'cp d2/pre-commit $1/' _ {value}"));
        lines.push(format!("for x in src {value}; do cp d2/pre-commit $x/; done"));
        lines.push(format!("for i in 1 2; do cp d2/pre-commit ${{x:-out}}/; x={value}; done"));
        lines.push(format!("x='d2/pre-commit {value}/'; cp $x"));
        lines.push(format!("x={value}; cd $x && cp ../../d2/pre-commit ."));
        lines.push(format!("o=--suffix=rc; x={value}; cp -b $o other $x/y"));
    }
    lines.push("o=--suffix=rc; x=.env; cp -b $o other $x".to_owned());
    none_allowed(&policy, &scene, &lines, 350);
}

/// D4.8, attack 223: the names that commands of the line print.
#[test]
fn given_a_protected_name_that_a_command_prints_then_writing_there_is_asked_about() {
    let scene = scene();
    let policy = protected(&scene);
    let prints = [
        ("git rev-parse --git-dir", "/hooks/pre-commit"),
        ("git rev-parse --git-common-dir", "/hooks/pre-commit"),
        ("git rev-parse --absolute-git-dir", "/config"),
        ("git rev-parse --path-format=absolute --git-dir", "/hooks/post-merge"),
        ("git -C sub rev-parse --git-dir", "/hooks/pre-commit"),
        ("git rev-parse --git-path hooks", "/pre-commit"),
        ("git rev-parse --git-path hooks/pre-commit", ""),
        ("git rev-parse --show-toplevel", "/.git/hooks/pre-commit"),
        ("git rev-parse --show-toplevel", "/.vscode/tasks.json"),
        ("echo .git/hooks", "/pre-commit"),
        ("printf %s .git", "/hooks/pre-commit"),
        ("ls -d .git/ho*", "/pre-commit"),
        ("ls -d .git/hooks | head -1", "/pre-commit"),
        ("find .git -name hooks", "/pre-commit"),
        ("find . -type d -name hooks", "/pre-commit"),
        ("dirname .git/hooks/x", "/pre-commit"),
        ("realpath .git", "/hooks/pre-commit"),
        ("pwd", "/.git/hooks/pre-commit"),
    ];
    let mut lines = Vec::new();
    for (command, end) in prints {
        for write in WRITES {
            lines.push(write.replace("{}", &format!("\"$({command}){end}\"")));
            lines.push(write.replace("{}", &format!("$({command}){end}")));
            lines.push(write.replace("{}", &format!("`{command}`{end}")));
            lines.push(format!("D=$({command}); {}", write.replace("{}", &format!("\"$D\"{end}"))));
        }
        lines.push(format!("for d in $({command}); do cp d2/pre-commit \"$d{end}\"; done"));
        lines.push(format!("{command} | while read d; do cp d2/pre-commit \"$d{end}\"; done"));
        lines.push(format!("{command} | while read -r d; do cat other > $d{end}; done"));
    }
    lines.push("cd \"$(git rev-parse --git-dir)/hooks\" && cp ../../d2/pre-commit .".to_owned());
    lines.push("cd $(git rev-parse --git-path hooks) && cp ../../d2/pre-commit .".to_owned());
    none_allowed(&policy, &scene, &lines, 1000);
}

/// D4.8, attack 223: the names that the line gives to `xargs`.
#[test]
fn given_a_protected_name_on_the_input_of_xargs_then_writing_there_is_asked_about() {
    let scene = scene();
    let policy = protected(&scene);
    let gives = [
        "echo .git/hooks",
        "echo '.git/hooks'",
        "printf '%s\\n' .git/hooks",
        "printf '%s\\0' .git/hooks",
        "printf '.git/hooks\\n'",
        "ls -d .git/ho*",
        "ls -d .git/hooks",
        "find .git -maxdepth 1 -name hooks",
        "git rev-parse --git-path hooks",
        "cat <<< .git/hooks",
        "x=.git; echo $x/hooks",
        "echo .git/hooks | sort",
    ];
    let takes = [
        "xargs cp d2/pre-commit",
        "xargs -n1 cp d2/pre-commit",
        "xargs -I@ cp d2/pre-commit @/",
        "xargs -I {} cp d2/pre-commit {}/pre-commit",
        "xargs -I{} install d2/pre-commit {}",
        "xargs -i cp d2/pre-commit {}/",
        "xargs --replace=X cp d2/pre-commit X/",
        "xargs -0 cp d2/pre-commit",
        "xargs -r cp d2/pre-commit",
        "xargs env cp d2/pre-commit",
        "xargs mv other",
        "xargs ln -s ../../other",
        "xargs rsync -a other",
        "xargs sh -c 'cp d2/pre-commit \"$0\"/'",
        "xargs -I{} tee {}/pre-commit",
        "xargs -t cp -r d2",
        "nice xargs cp d2/pre-commit",
        "xargs cp -t .git/hooks",
    ];
    let lines: Vec<String> =
        gives.iter().flat_map(|gives| takes.map(|takes| format!("{gives} | {takes}"))).collect();
    none_allowed(&policy, &scene, &lines, 200);
}

/// D2.9, D4.8, attack 223: whatever stands before it, such an end is that of something protected.
#[test]
fn given_a_word_that_ends_as_a_protected_name_then_writing_there_is_asked_about() {
    let scene = scene();
    let policy = protected(&scene);
    let ends = [
        "/hooks/pre-commit",
        "/hooks/post-checkout",
        "/.git/hooks/x",
        "/.git/config",
        "/repo.git/hooks/update",
        "/.vscode/tasks.json",
        "/.idea/workspace.xml",
        "/.claude/settings.json",
        "/.cursor/mcp.json",
        "/.envrc",
        "/.bashrc",
        "/.husky/pre-commit",
        "/a/.vscode/x",
        "/.devcontainer/devcontainer.json",
        "/.config/fish/config.fish",
        "/.ssh/authorized_keys",
        "/.cargo/config.toml",
        "/.github/hooks/x",
        "/.git/$Y",
    ];
    let begins = ["$X", "${X}", "$(cmd)", "${X%/*}", "$1", "$X/$Y"];
    let mut lines = Vec::new();
    for end in ends {
        for begin in begins {
            lines.extend(WRITES.iter().map(|write| write.replace("{}", &format!("\"{begin}{end}\""))));
        }
    }
    lines.extend(["cp d2/pre-commit \"$X/hooks\"", "cp -t \"$X/.vscode\" a"].map(str::to_owned));
    none_allowed(&policy, &scene, &lines, 1500);
}

/// The same forms where they say nothing that is protected: as quiet as before. Attack 223.
#[test]
fn given_words_that_are_not_known_then_everyday_lines_stay_quiet() {
    let scene = scene();
    let policy = protected(&scene);
    all_allowed(
        &policy,
        &scene,
        &[
            "cp a \"$DIR/x\"",
            "mkdir -p \"$OUT/sub\"",
            "echo a > \"$f\"",
            "for f in src/*.rs; do sed -i s/a/b/ \"$f\"; done",
            "git rev-parse --git-dir",
            "ls \"$(git rev-parse --git-dir)/hooks\"",
            "cat \"$(git rev-parse --git-dir)/HEAD\"",
            "test -f \"$(git rev-parse --git-dir)/MERGE_HEAD\"",
            "rg -l foo | xargs sed -i s/a/b/",
            "x=out; cp a $x/b",
            "x=src/a.rs; sed -i s/a/b/ $x",
            "OUT=out; mkdir -p $OUT && cp a \"$OUT/\"",
            "cp a $(git rev-parse --show-toplevel)/src/a",
            "cd \"$(git rev-parse --show-toplevel)\" && make",
            "echo src/a.rs | xargs sed -i s/a/b/",
            "printf '%s\\n' a b | xargs touch",
            "find src -name '*.rs' -print0 | xargs -0 sed -i s/a/b/",
            "for f in $(find src -name '*.rs'); do sed -i s/a/b/ $f; done",
            "find src -name '*.rs' | while read f; do sed -i s/a/b/ \"$f\"; done",
            "git ls-files '*.rs' | xargs sed -i s/a/b/",
            "TMP=$(mktemp -d); cp a \"$TMP/b\"",
            "TMP=$(mktemp); echo a > \"$TMP\"",
            "cp a \"$(pwd)/b\"",
            "echo x >> \"$GITHUB_ENV\"",
            "cp a \"${f%.txt}.md\"",
            "mv \"$f\" \"${f%.js}.ts\"",
            "for d in a b; do mkdir -p \"out/$d/src\"; done",
            "cp a \"$DIR/settings.json\"",
            "cp a \"$DIR/src/hooks/use.ts\"",
            "cp src/hooks/use.ts \"$DIR/hooks/\"",
            "cp a \"$DIR/${name}.json\"",
            "cp a \"$DIR/.gitignore\"",
            "mkdir -p \"$DIR/.github/workflows\"",
            "cp a \"$DIR/.github/workflows/ci.yml\"",
            "tee \"$LOG\" < a",
            "tar xf a.tar -C \"$DIR\"",
            "sed -i s/a/b/ $(rg -l foo)",
            "rm -f \"$TMP/x\"",
            "x=$(date +%s); cp a b.$x",
            "for i in $(seq 1 3); do echo $i > out/$i; done",
            "set -- a b; cp \"$1\" \"out/$2\"",
        ],
    );
}
