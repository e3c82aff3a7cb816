//! What git makes: folders full of files, and the hooks of a repository.

use super::*;

fn asked(decision: &Decision) -> bool {
    decision.effect == Deny || decision.always_asks()
}

fn scene() -> Scene {
    let scene = Scene::new();
    scene.repository();
    std::fs::create_dir_all(scene.root.join("src/hooks")).unwrap();
    std::fs::write(scene.root.join("src/hooks/post-commit"), "").unwrap();
    scene
}

/// A template's hooks are the repository's, in every spelling. Attack 223.
#[test]
fn given_a_template_then_what_git_makes_with_it_is_asked_about_always() {
    let scene = scene();
    let policy = scene.denying(&[]);
    let made = [
        "init{} .",
        "init{}",
        "init -q{} sub",
        "init{} -b main",
        "init --bare{} x.git",
        "clone{} src z",
        "clone -q{} https://h.example/x",
        "clone --depth 1{} https://h.example/x z",
        "clone https://h.example/x z{}",
        "clone --bare{} src z",
    ];
    let mut lines = Vec::new();
    for git in ["git", "git -C sub", "/usr/bin/git", "timeout 9 git", "cd sub && git"] {
        for template in [
            "--template=src",
            "--template src",
            "--templ=src",
            "--te src",
            "--template=\"$T\"",
            "--template=/srv/x",
        ] {
            lines.extend(made.map(|line| format!("{git} {}", line.replace("{}", &format!(" {template}")))));
        }
    }
    for set in [
        "-c init.templateDir=src",
        "-c INIT.TEMPLATEDIR=../src",
        "-cinit.templatedir=src",
        "--config-env=init.templateDir=X",
        "-c user.name=x -c init.templateDir=src",
        "-c init.templateDir=$T",
    ] {
        lines.extend(made.map(|line| format!("git {set} {}", line.replace("{}", ""))));
        lines.push(format!("git {set} submodule add https://h.example/x sub2"));
        lines.push(format!("git {set} worktree add ../x"));
    }
    lines.push("GIT_TEMPLATE_DIR=src git init".to_owned());
    lines.push("env GIT_TEMPLATE_DIR=src git init".to_owned());
    lines.push("gh repo clone a/b -- --template=src".to_owned());
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, asked), count, 300);
}

/// What a clone stores is judged as what `git config` stores. Attack 223.
#[test]
fn given_a_setting_that_git_runs_then_a_clone_that_stores_it_is_asked_about_always() {
    let scene = scene();
    let policy = scene.denying(&[]);
    let settings = [
        "core.hooksPath=../src/hooks",
        "core.fsmonitor=x",
        "core.sshCommand=x",
        "alias.st=!x",
        "filter.x.smudge=x",
        "CORE.HOOKSPATH=x",
        "core.pager=x",
        "include.path=../x",
        "url.x.insteadOf=y",
        "credential.helper=x",
    ];
    let forms = [
        "git clone -c {} src z",
        "git clone -c{} src z",
        "git clone -qc {} src z",
        "git clone --config {} src z",
        "git clone --config={} src z",
        "git clone --conf={} src z",
        "git clone src z -c {}",
        "git clone --bare -c {} src z",
        "git -C sub clone -c {} ../src z",
        "gh repo clone a/b -- -c {}",
    ];
    let mut lines: Vec<String> =
        settings.iter().flat_map(|set| forms.map(|form| form.replace("{}", set))).collect();
    for separate in ["--separate-git-dir=src/g", "--separate-git-dir src/g", "--sep=src/g"] {
        lines.push(format!("git init {separate} ."));
        lines.push(format!("git init {separate}"));
        lines.push(format!("git clone {separate} src z"));
    }
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, asked), count, 100);
}

/// A folder that is protected is filled by what is cloned or checked out there. Attack 223.
#[test]
fn given_a_protected_folder_then_what_git_makes_there_is_asked_about_always() {
    let scene = scene();
    let policy = scene.denying(&[]);
    let folders = [
        ".vscode",
        ".git/hooks",
        ".idea",
        ".claude",
        ".cursor",
        ".husky",
        ".devcontainer",
        "sub/.vscode",
        "./.vscode/x",
    ];
    let forms = [
        "git clone src {}",
        "git clone -q src {}/",
        "git clone --depth=1 https://h.example/x {}",
        "git clone --no-checkout src {}",
        "git clone --bare src {}",
        "git clone -- src {}",
        "git clone src ./{}",
        "git init {}",
        "git init --bare {}",
        "gh repo clone a/b {}",
        "git worktree add {}",
        "git worktree add -f {} HEAD",
        "git worktree add --no-checkout {}",
        "git worktree add -b x {} main",
        "git submodule add https://h.example/x {}",
        "hg clone src {}",
        "svn checkout https://h.example/x {}",
        "jj git clone src {}",
        "cargo new {}",
        "cargo init {}",
        "unzip -d {} a.zip",
        "git checkout-index --prefix={}/ -a",
        "git format-patch -o {} HEAD~1",
        "git subtree add --prefix={} https://h.example/x main",
        "git svn clone https://h.example/x {}",
        "hg init {}",
        "uv init {}",
    ];
    let mut lines: Vec<String> = folders
        .iter()
        .flat_map(|folder| forms.iter().map(move |form| (*folder, *form)))
        .map(|(folder, form)| form.replace("{}", folder))
        .collect();
    for line in [
        "git clone src .github",
        "git clone https://h.example/.vscode",
        "git clone https://h.example/.vscode.git",
        "git clone https://h.example/.vscode/",
        "git clone h.example:.vscode.git",
        "git clone h.example:a/.vscode",
        "git clone ../.vscode/.git",
        "git clone ../.vscode.bundle",
        "gh repo clone a/.vscode",
        "cd .git && git clone ../src hooks",
    ] {
        lines.push(line.to_owned());
    }
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, asked), count, 240);
}

/// What git makes elsewhere is as quiet as before. Attack 223.
#[test]
fn given_other_folders_and_settings_then_what_git_makes_is_as_quiet_as_before() {
    let scene = scene();
    let policy = scene.denying(&["write(/srv/**)", "write(other/gen/**)"]);
    let lines = [
        "git init",
        "git init x",
        "git init -q -b main x",
        "git init --bare x.git",
        "git init --template= x",
        "git init deep/folder",
        "git clone https://h.example/x",
        "git clone https://h.example/x.git",
        "git clone git@h.example:a/x.git",
        "git clone --depth 1 https://h.example/x z",
        "git clone --bare https://h.example/x x.git",
        "git clone --mirror https://h.example/x",
        "git clone -c core.autocrlf=false https://h.example/x",
        "git clone --config user.name=x https://h.example/x z",
        "git clone -b main https://h.example/x z",
        "git clone src z",
        "git clone \"$U\" z",
        "git -c core.autocrlf=false init",
        "gh repo clone a/b",
        "gh repo clone a/b c",
        "cargo new x",
    ];
    let count = lines.len();
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect == Allow), count, 20);
    let policy = scene.denying(&[]);
    let lines = [
        "git init .",
        "git clone https://h.example/x .",
        "git worktree add x main",
        "git submodule add https://h.example/x sub2",
        "hg clone src z",
        "svn checkout https://h.example/x z",
        "jj git clone https://h.example/x",
        "git subtree add --prefix=z https://h.example/x main",
    ];
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect == Allow), 8, 8);
}

/// `git archive` may have signatures checked, by what a commit says. Attack 223.
#[test]
fn given_an_archive_then_only_a_list_of_its_formats_is_a_reader() {
    let scene = scene();
    let policy = scene.denying(&[]);
    let judged = |line: &str| in_mode(&policy, &scene.shell(line), Mode::Plan).effect;
    for line in [
        "git archive HEAD",
        "git archive --format=tar HEAD",
        "git archive HEAD | tar t",
        "git archive HEAD src",
        "git archive --worktree-attributes HEAD",
        "git archive --prefix=x/ v1",
        "git archive -v HEAD | tar tf -",
        "git -C src archive HEAD",
    ] {
        assert_eq!(judged(line), Deny, "{line}");
    }
    for line in ["git archive -l", "git archive --list"] {
        assert_eq!(judged(line), Allow, "{line}");
    }
}

/// D2.25, attack 223: what a program makes in the folder at hand without a word for it is judged there.
#[test]
fn given_a_denied_folder_at_hand_then_what_a_program_makes_there_unnamed_is_denied() {
    let scene = scene();
    let policy = scene.denying(&["write(sub/**)"]);
    let made = [
        "split ../f",
        "split -l 9 ../f",
        "split -b 1k ../f",
        "split -d ../f",
        "split -n 3 ../f",
        "split -",
        "split",
        "csplit ../f 9",
        "git format-patch -1",
        "git format-patch HEAD~1",
        "git format-patch -q -n main",
        "git format-patch --cover-letter -2",
    ];
    let mut lines = Vec::new();
    for before in [
        "cd sub && ",
        "cd sub; ",
        "cd ./sub && ",
        "cd src/../sub && ",
        "pushd sub && ",
        "env -C sub ",
        "cd sub && timeout 9 ",
    ] {
        lines.extend(made.map(|line| format!("{before}{line}")));
    }
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect == Deny), count, 80);
    let quiet = [
        "split f",
        "split -l 9 f",
        "git format-patch -1",
        "cd src && split ../f",
        "cd sub && git format-patch --stdout -1",
    ];
    held(&wrong(&scene, &policy, quiet.map(str::to_owned), |decision| decision.effect == Allow), 5, 5);
}
