//! Folders of settings that something is put into, by whichever option or operand names them.

use super::*;

fn asked(decision: &Decision) -> bool {
    decision.effect == Deny || decision.always_asks()
}

/// `@` is the folder.
const FILL: &[&str] = &[
    "unzip -d @ a.zip",
    "unzip a.zip -d @",
    "unzip -qo a.zip -d @/",
    "7z x a.7z -o@",
    "tar -C @ -xf a.tar",
    "tar xf a.tar -C @",
    "tar --directory=@ -xzf a.tgz",
    "tar x --directory @ -f a.tar",
    "bsdtar -C @ -xf a.tar",
    "cpio -i -D @ < a",
    "git format-patch -o @ HEAD~1",
    "git format-patch --output-directory=@ HEAD~1",
    "git format-patch -1 -o @/",
    "git checkout-index --prefix=@/ -a",
    "git checkout-index -a --prefix=@/",
    "git subtree add --prefix=@ ../src main",
    "git subtree add -P @ ../src main",
    "git apply --directory=@ a.patch",
    "git am --directory=@ a.patch",
    "git worktree add @ main",
    "git clone src @",
    "git submodule add https://h.example/x @",
    "cp -r x/. @",
    "cp -r x/. @/",
    "cp -a src/. @",
    "cp -rT src @",
    "cp -t @ src/a.rs",
    "cp src/a.rs @/",
    "mv src/a.rs @/",
    "install -t @ src/a.rs",
    "install -D -t @ src/a.rs",
    "rsync -a src/ @",
    "rsync -a src/ @/",
    "rsync -r h.example:x/ @/",
    "rsync src/a.rs @/",
    "scp h.example:x @/",
    "scp -r h.example:x @",
    "curl --output-dir @ -O https://h.example/x",
    "curl --output-dir @ https://h.example/x -o a",
    "wget -P @ https://h.example/x",
    "wget --directory-prefix=@ https://h.example/x",
    "patch -d @ < a",
    "patch --directory=@ -i a",
    "split -b 1 src/a.rs @/x",
    "csplit -f @/x src/a.rs 1",
    "gh release download -D @",
    "gh run download --dir @",
    "gh repo clone a/b @",
    "pip install --target @ x",
    "npm install --prefix @ x",
    "go build -o @/ ./...",
    "cargo install --root @ x",
    "tsc --outDir @",
    "protoc --python_out=@ a.proto",
    "javac -d @ A.java",
    "pandoc -o @/x a.md",
    "svn export https://h.example/x @",
    "python3 -m zipfile -e a.zip @",
    "python3 -m tarfile -e a.tar @",
    "python3 -m compileall @/",
    "touch @/x",
    "tee @/x",
    "ln -s ../src/a.rs @/x",
];

/// D4.8: a folder of settings is filled, whether it is there and however deep it lies. Attack 223.
#[test]
fn given_a_folder_of_settings_then_what_puts_files_into_it_is_asked_about_always() {
    let (mut found, mut count) = (Vec::new(), 0);
    let folders = [
        ".vscode",
        "sub/.vscode",
        "./sub/.vscode",
        "sub/../sub/.vscode",
        ".claude",
        "sub/.cursor",
        "sub/.idea",
    ];
    for there in [false, true] {
        let scene = Scene::new();
        scene.repository();
        for folder in folders.iter().filter(|_| there) {
            std::fs::create_dir_all(scene.root.join(folder)).unwrap();
        }
        let policy = scene.denying(&[]);
        let lines: Vec<String> = folders
            .iter()
            .flat_map(|folder| FILL.iter().map(move |line| line.replace('@', folder)))
            .collect();
        count += lines.len();
        found.extend(wrong(&scene, &policy, lines, asked).into_iter().map(|line| format!("{there}: {line}")));
    }
    held(&found, count, 800);
}

/// The hooks of the repository, also where an option says that git works in its folder. Attack 223.
#[test]
fn given_gits_own_folder_then_what_fills_its_hooks_is_asked_about_always() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&[]);
    let mut lines: Vec<String> = FILL.iter().map(|line| line.replace('@', ".git/hooks")).collect();
    for there in [".git", "./.git", "sub/../.git"] {
        for line in [
            "git -C {} clone ../src hooks",
            "git -C {} clone -q ../src hooks/",
            "git -C {} init hooks",
            "git -C {} init --bare hooks",
            "git -C {} worktree add hooks",
            "git -C {} format-patch -o hooks HEAD~1",
            "git -C {} diff --output=hooks/post-commit",
            "git -C sub -C ../{} clone ../src hooks",
            "tar -C {} -xf ../a.tar",
            "tar -C {} -xf ../a.tar hooks",
            "make -C {} -f ../Makefile hooks/post-commit",
            "env -C {} cp ../src/a.rs hooks/post-commit",
            "env -C {} touch hooks/x",
            "unzip -d {} a.zip",
            "cp -r x/. {}",
            "rsync -a x/ {}/",
            "go build -C {} -o hooks/pre-commit",
        ] {
            lines.push(line.replace("{}", there));
        }
    }
    // Goals of make are no files to anybody else.
    lines.retain(|line| !line.starts_with("make"));
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, asked), count, 100);
}

/// What is relative to a folder that an option names is denied there. Attack 223.
#[test]
fn given_another_working_folder_then_what_is_denied_from_there_is_not_allowed() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["write(out/**)", "read(src/gen/**)"]);
    let lines = [
        "git -C sub checkout -- ../out/x",
        "git -C sub restore ../out/x",
        "git -C sub mv x ../out/x",
        "git -C sub rm ../out/x",
        "git -C src clone ../sub ../out",
        "git -C src -C gen diff --no-index x ../../sub/x",
        "git -C src show HEAD:./gen/x",
        "git -C src diff --no-index gen/x a.rs",
        "tar -C src -cf a.tar gen/x",
        "tar -cf a.tar -C src gen",
        "tar -C sub -xf a.tar -C ../out",
        "env -C sub touch ../out/x",
    ];
    held(&wrong(&scene, &policy, lines.map(str::to_owned), |decision| decision.effect != Allow), 12, 12);
}

/// Other folders are as quiet as before. Attack 223.
#[test]
fn given_other_folders_then_what_fills_them_is_as_quiet_as_before() {
    let scene = Scene::new();
    scene.repository();
    let policy = scene.denying(&["write(/srv/**)", "read(~/.ssh/**)"]);
    let loud = ["git worktree add", "wget", "curl", "cargo install", "git submodule", "rsync -r", "git am"];
    let lines: Vec<String> = ["out", "sub/x", "./sub", "deep/er"]
        .iter()
        .flat_map(|folder| FILL.iter().map(move |line| line.replace('@', folder)))
        .filter(|line| !loud.iter().any(|loud| line.starts_with(loud)))
        .collect();
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect == Allow), count, 200);
}
