//! Patches that a line gives to `apply_patch`: on its input, where no word names a file, or as its word.

use super::moved::allowed_lines;
use super::*;

const GOES: &[&str] = &[
    "cd secret && ",
    "cd secret; ",
    "cd secret\n",
    "(cd secret && true); cd ./secret/ && ",
    "pushd secret && ",
    "cd src/../secret && ",
    "cd sl && ",
    "true && cd secret && ",
    "cd src; cd ../secret; ",
    "d=secret; cd $d && ",
    "cd \"$(echo secret)\" && ",
    "for d in secret; do cd $d; done; ",
];

const HEADERS: &[&str] = &["*** Add File: z", "*** Delete File: z", "*** Update File: z", "***Add File: z"];

/// How the patch is given; `P` is its text.
const GIVEN: &[&str] = &[
    "apply_patch <<'E'\nP\nE\n",
    "apply_patch <<E\nP\nE\n",
    "applypatch <<'E'\nP\nE\n",
    "/usr/bin/apply_patch <<'E'\nP\nE\n",
    "cat <<'E' | apply_patch\nP\nE\n",
    "apply_patch 'P'",
    "apply_patch <<< 'P'",
    "printf '%s' 'P' | apply_patch",
    "apply_patch < x.patch",
    "cat x.patch | apply_patch",
    "command apply_patch <<'E'\nP\nE\n",
    "bash -c \"apply_patch <<'E'\nP\nE\n\"",
];

fn patches(headers: &[&str]) -> Vec<String> {
    headers
        .iter()
        .flat_map(|header| {
            let patch = format!("*** Begin Patch\n{header}\n+x\n*** End Patch");
            GIVEN.iter().map(move |given| given.replace('P', &patch))
        })
        .collect()
}

/// D1.10, D2.25, D4.8, D4.10, attack 223.
#[test]
fn given_a_patch_that_the_line_gives_then_its_files_are_where_the_line_has_gone() {
    let scene = Scene::new();
    std::fs::create_dir(scene.root.join("secret")).unwrap();
    scene.repository();
    scene.link("secret", "sl");
    let denied = scene.denying(&["write(secret/**)"]);
    let free = scene.denying(&[]);
    let below =
        |goes: &&str| patches(HEADERS).iter().map(|patch| format!("{goes}{patch}")).collect::<Vec<_>>();
    let mut lines: Vec<String> = GOES.iter().flat_map(below).collect();
    lines.extend(patches(&["*** Add File: secret/z", "*** Add File: ./secret/z", "*** Move to: secret/z"]));
    // What reads it takes a tab for a part of the name.
    lines.extend(patches(&[
        "*** Add File: src/x\t/../../secret/z",
        "*** Move to: \tsecret/z",
        "*** Add File: secret/z\t",
    ]));
    lines.extend(patches(&["*** Environment ID: 1", "*** Add  File: secret/z"]));
    assert!(lines.len() > 500);
    let wrong = allowed_lines(&scene, &[(&denied, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(40)]);
    // What is protected, and what is outside, also without a rule.
    let mut lines = Vec::new();
    for goes in ["cd .git/hooks && ", "cd .git/hooks; ", "cd .. && ", "cd ..; ", "cd /etc && "] {
        lines.extend(patches(&["*** Add File: pre-commit"]).iter().map(|patch| format!("{goes}{patch}")));
    }
    lines.extend(patches(&[
        "*** Add File: ../z",
        "*** Add File: .git/hooks/pre-commit",
        "*** Update File: /etc/x",
        "*** Add File: src/x\t/../../.git/hooks/pre-commit",
        "*** Add File: src/x\t/../../../z",
    ]));
    let wrong = allowed_lines(&scene, &[(&free, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(40)]);
    // Nothing is asked about where its files are known, and nothing speaks about them.
    for line in [
        "apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/z.rs\n+x\n*** End Patch\nE\n",
        "apply_patch '*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch'",
        "cd src && apply_patch <<'E'\n*** Begin Patch\n*** Add File: z.rs\n+x\n*** End Patch\nE\n",
        "apply_patch <<'E'\n*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/c.rs\n@@\n-x\n+y\n*** End of File\n*** End Patch\nE\n",
    ] {
        assert_eq!(in_mode(&denied, &scene.shell(line), Mode::Auto).effect, Allow, "{line}");
    }
    // Where all of its files may be written, so may it: it does nothing else.
    let writes = scene.policy(&["write(src/**)"], &[]);
    for (line, effect) in [
        ("apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/z.rs\n+x\n*** End Patch\nE\n", Allow),
        ("cd src && apply_patch <<'E'\n*** Begin Patch\n*** Add File: z.rs\n+x\n*** End Patch\nE\n", Allow),
        ("apply_patch <<'E'\n*** Begin Patch\n*** Add File: z.rs\n+x\n*** End Patch\nE\n", Ask),
        ("./apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/z.rs\n+x\n*** End Patch\nE\n", Ask),
        (
            "apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/z.rs\n+x\n*** Run: x\n*** End Patch\nE\n",
            Ask,
        ),
        ("apply_patch < src/z.patch", Ask),
    ] {
        assert_eq!(in_mode(&writes, &scene.shell(line), Mode::Default).effect, effect, "{line}");
    }
}
