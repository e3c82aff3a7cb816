//! Files that a program makes beside those that it writes: copies of what was there, packed files, parts.

use super::*;

/// Lines that write NAME and what was there to NAME with `{}` behind it.
const KEEPS: &[&str] = &[
    "cp -b -S {} other NAME",
    "cp -bS{} other NAME",
    "cp -S {} other NAME",
    "cp -fb --suffix={} other NAME",
    "cp --backup=simple --suffix {} other NAME",
    "cp --backup --suf={} other NAME",
    "cp -b -S {} -T other NAME",
    "mv -b -S {} other NAME",
    "mv --backup=simple -S {} other NAME",
    "ln -f -b -S {} other NAME",
    "ln -sfb --suffix={} other NAME",
    "install -b -S {} other NAME",
    "install -m 644 --backup=simple --suffix={} other NAME",
    "rsync -a -b --suffix={} other NAME",
    "sed -i{} s/x/y/ NAME",
    "sed --in-place={} s/x/y/ NAME",
    "sed -E -i{} -e s/x/y/ NAME",
    "sed -n -i'*{}' p NAME",
    "perl -i{} -pe s/x/y/ NAME",
    "perl -p -i{} -e s/x/y/ NAME",
    "ruby -i{} -pe x NAME",
    "gzip -S {} NAME",
    "gzip -k --suffix={} NAME",
    "xz -k -S {} NAME",
    "patch -b -z {} NAME x.patch",
    "patch -bz{} NAME x.patch",
    "patch --backup --suffix={} NAME x.patch",
    "patch -b -V simple -z {} NAME x.patch",
    "gawk -i inplace -v inplace::suffix={} 1 NAME",
    "gawk -i inplace -v INPLACE_SUFFIX={} 1 NAME",
    "gawk -iinplace -vinplace::suffix={} 1 NAME",
    "awk -i inplace --assign=inplace::suffix={} 1 NAME",
    "gawk -i inplace 1 inplace::suffix={} NAME",
    "vim -es -c 'set backup backupext={}' -c 'wq!' NAME",
    "vi -es -c 'set backup bex={}' -c wq NAME",
    "ex -s -c 'set patchmode={}|wq' NAME",
    "nvim -es --cmd 'let &backupext=\"{}\"' -c wq NAME",
    "SIMPLE_BACKUP_SUFFIX={} cp -b other NAME",
    "env SIMPLE_BACKUP_SUFFIX={} cp -b other NAME",
];

/// Lines that write parts, whose names begin so.
const PARTS: &[&str] = &[
    "split -n 3 -a 1 f NAME",
    "split f NAME",
    "split -l 5 --additional-suffix={} f NA",
    "csplit -f NAME -n 1 f 2",
    "csplit --prefix=NAME -b %.0d f 2",
    "csplit -sf NAME f 2",
];

fn allowed_of<'a>(
    policy: &Policy,
    scene: &Scene,
    lines: impl IntoIterator<Item = &'a String>,
) -> Vec<&'a String> {
    let allows = |line: &&String| in_mode(policy, &scene.shell(line), Mode::Auto).effect == Allow;
    lines.into_iter().filter(allows).collect()
}

/// D2.25, D4.7, D4.8, attack 223: a file that the gate, a shell or an editor runs is written under no name of the line's.
#[test]
fn given_a_name_with_more_behind_it_then_what_it_makes_is_judged() {
    let scene = Scene::new();
    let policy = scene.denying(&["write(x.bak)", "write(keep/**)"]);
    let names = [
        (".env", "rc"),
        (".e", "nvrc"),
        (".mayi", ".toml"),
        (".mayi.to", "ml"),
        ("sub/.env", "rc"),
        ("./.env", "rc"),
        ("x", ".bak"),
        ("./x.", "bak"),
        (".vscode/tasks", ".json"),
        (".vscode/settings.", "json"),
        (".claude/settings.js", "on"),
        (".git/hooks/pre-", "commit"),
        (".git/con", "fig"),
        ("keep/a", ".old"),
    ];
    let mut lines = Vec::new();
    for (name, end) in names {
        lines.extend(KEEPS.iter().map(|line| line.replace("NAME", name).replace("{}", end)));
        lines.extend(KEEPS.iter().filter(|line| line.contains(" other ")).map(|line| {
            line.replace("other NAME", &format!("other \"{name}\"")).replace("{}", &format!("'{end}'"))
        }));
    }
    let parts = [".envr", ".env", ".mayi.tom", ".git/hooks/pre-commi", "x.b"];
    lines.extend(parts.iter().flat_map(|part| {
        PARTS.iter().filter(|line| !line.contains("{}")).map(move |line| line.replace("NAME", part))
    }));
    // What stands before the name of a copy, and where it is put.
    for (begin, name) in
        [(".git/hooks/", "pre-commit"), (".env", "rc"), ("./.vscode/", "tasks.json"), ("keep/", "a")]
    {
        let begun = [
            "patch -b -B BEGIN NAME x.patch",
            "patch -b -BBEGIN NAME x.patch",
            "patch -b --prefix=BEGIN NAME x.patch",
            "patch --backup --prefix BEGIN NAME x.patch",
            "patch -b -Y BEGIN NAME x.patch",
            "patch -b --basename-prefix=BEGIN NAME x.patch",
            "patch -b -z y -B BEGIN NAME x.patch",
        ];
        lines.extend(begun.iter().map(|line| line.replace("BEGIN", begin).replace("NAME", name)));
    }
    for folder in [".git/hooks", ".vscode", ".git", "keep"] {
        let puts =
            ["rsync -ab --backup-dir=DIR other pre-commit", "rsync -a --backup --backup-dir DIR d/ e/"];
        lines.extend(puts.iter().map(|line| line.replace("DIR", folder)));
    }
    lines.extend(
        [("split f .en --additional-suffix=rc"), "split --additional-suffix .toml f .mayi"]
            .map(str::to_owned),
    );
    assert!(lines.len() > 500, "{}", lines.len());
    let wrong = allowed_of(&policy, &scene, &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(30)]);
    // The packed file says the name.
    for line in ["gunzip -N x.gz", "gzip -dN x.gz", "gzip -d --name x.gz", "unpigz -N x.gz"] {
        assert_eq!(in_mode(&policy, &scene.shell(line), Mode::Auto).effect, Ask, "{line}");
    }
}

/// The same, where nothing is said about what it makes: as quiet as without. Attack 223.
#[test]
fn given_copies_and_parts_that_nothing_speaks_about_then_nothing_is_asked_about() {
    let scene = Scene::new();
    let policy = scene.denying(&["write(z.bak)", "write(keep/**)"]);
    let lines = [
        "cp -b -S .orig other y",
        "cp -b other src/a.rs",
        "mv --backup=numbered other y",
        "ln -sf other y",
        "install -m 755 other y",
        "sed -i s/x/y/ src/a.rs",
        "sed -i.orig s/x/y/ src/a.rs",
        "sed -i -e s/x/y/ y",
        "perl -pi -e s/x/y/ y",
        "perl -i.orig -pe s/x/y/ y",
        "patch -b -z .orig y x.patch",
        "patch -b -B old/ y x.patch",
        "rsync -b --backup-dir=bak other y",
        "gawk -i inplace -v inplace::suffix=.bak 1 y",
        "vim -es -c '%s/a/b/' -c 'wq!' y",
        "gzip -k y",
        "gunzip y.gz",
        "split -n 3 y part-",
        "split -b 1M y",
    ];
    let asked: Vec<_> = lines
        .iter()
        .filter(|line| in_mode(&policy, &scene.shell(line), Mode::Auto).effect != Allow)
        .collect();
    assert!(asked.is_empty(), "{asked:?}");
}
