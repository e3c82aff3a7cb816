//! Links that the line itself brings to places that its words do not tell, and what goes through them then.

use super::moved::{allowed_lines, scene};
use super::*;

/// What brings the links of `q` to `q3`, in ways of which the words say less.
const BRINGS: &[&str] = &[
    "x=q3; mv q $x",
    "x=q3; mv q \"$x\"",
    "x=q3; cp -a q $x",
    "x=q; mv $x q3",
    "for x in q3; do mv q $x; done",
    "for x in q3; do cp -r q \"$x\"; done",
    "mv \"$(echo q)\" q3",
    "mv q \"$(echo q3)\"",
    "eval mv q q3",
    "eval 'x=q3; mv q $x'",
    "cp -a --target-directory=q3 q/.",
    "mkdir q3 && mv -t q3 q/zz q/hk q/sk q/ik",
    "rename s/q/q3/ q",
    "find . -maxdepth 1 -name q -exec mv {} q3 \\;",
    "ls -d q | xargs -I{} mv {} {}3",
    "tar cf - q | tar xf - --transform=s/q/q3/",
    "tar cf t.tar q && tar xf t.tar --transform=s/q/q3/",
    "tar cf t.tar q && mkdir q3 && tar xf t.tar -C q3 --strip-components=1",
    "tar c q | (mkdir q3; cd q3; tar x --strip-components=1)",
    "git archive HEAD q | tar x --transform=s/q/q3/",
    "t=../q/zz; ln -s $t q3",
];

/// The same with words that say it, where what goes through is found by a glob.
const SAID: &[&str] = &[
    "mv q q3",
    "cp -a q q3",
    "rsync -a q/ q3",
    "git mv q q3",
    "busybox mv q q3",
    "env mv q q3",
    "command mv q q3",
    "bash -c 'mv q q3'",
    "sh -c 'cp -a q q3'",
    "eval mv q q3",
    "ln -s q q3",
    "mv ./q ./q3",
];

const WRITES: &[&str] = &[
    "touch q3/zz/p",
    "cp f q3/zz/p",
    "tee q3/zz/p < f",
    "echo x > q3/zz/p",
    "cat f >> q3/zz/p",
    "dd if=f of=q3/zz/p",
    "sort f -o q3/zz/p",
    "mkdir q3/zz/p",
    "cp f q3/hk/pre-commit",
    "sed -n 'w q3/zz/p' f",
    "cd q3/zz && touch p",
    "ln f q3/zz/p",
    "split f q3/zz/p",
];

const READS: &[&str] = &["cat q3/ik", "cat q3/sk", "head -1 q3/sd/key", "cat < q3/ik", "grep KEY q3/sk"];

const GLOBS: &[&str] = &[
    "for d in *3; do touch $d/zz/p; done",
    "for d in q3/*; do touch $d/p; done",
    "for d in ?3; do cp f \"$d/zz/p\"; done",
    "for d in */zz; do tee $d/p < f; done",
    "touch *3/zz/p",
    "cp f */zz/p",
    "cat *3/ik",
    "head */sk",
    "x=q3; touch $x/zz/p",
    "echo x > \"$(ls -d q3)/zz/p\"",
];

fn pairs(first: &[&str], second: &[&str]) -> Vec<String> {
    let joined = |one: &&str| {
        let joints = second.iter().flat_map(|other| [" && ", "; "].map(|joint| format!("{joint}{other}")));
        joints.map(|rest| format!("{one}{rest}")).collect::<Vec<_>>()
    };
    first.iter().flat_map(joined).collect()
}

/// D1.14, D2.10, D4.10, attack 220.
#[test]
fn given_links_that_the_line_brings_somewhere_then_what_could_go_through_them_is_asked_about() {
    let scene = scene();
    let policy = scene.denying(&["read(secret/**)"]);
    let mut lines = pairs(BRINGS, WRITES);
    lines.extend(pairs(BRINGS, READS));
    lines.extend(pairs(BRINGS, &GLOBS[..8]));
    lines.extend(pairs(SAID, GLOBS));
    assert!(lines.len() > 1_000, "{}", lines.len());
    let wrong = allowed_lines(&scene, &[(&policy, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(60)]);
}

/// The same of links that the line makes, and then gives another place, from which they lead elsewhere. Attack 220.
#[test]
fn given_a_link_that_the_line_makes_and_moves_then_what_could_go_through_it_is_asked_about() {
    let scene = scene();
    let policy = scene.denying(&["read(secret/**)"]);
    let makes = [
        "mkdir -p out && cd sub && ln -s ../out nl && mv nl .. && cd ..",
        "mkdir -p out && cd sub && ln -s ../out nl && cd .. && mv sub/nl .",
        "mkdir -p out && (cd sub && ln -s ../out nl && mv nl ..)",
        "ln -s ../out sub/nl && mv sub/nl nl",
        "ln -s ../out sub/nl && mv sub/nl .",
        "ln -s ../out sub/nl && cp -a sub/. .",
        "ln -s ../out sub/nl && cp -P sub/nl nl",
        "ln -s ../out sub/nl && rsync -a sub/ .",
        "ln -s ../out sub/nl && mv sub/n* .",
        "ln -s ../out sub/nl && mv sub s2 && mv s2/nl .",
        "ln -s ../out sub/nl && git mv -f sub/nl nl",
        "ln -s ../out sub/nl && tar c -C sub nl | tar x",
        "ln -s ../out sub/nl && tar cf t.tar -C sub nl && tar xf t.tar",
        "cp -s ../out sub/nl && mv sub/nl nl",
        "t=../out; ln -s $t nl",
        "for n in nl; do ln -s ../out $n; done",
    ];
    let writes = [
        "touch nl/p",
        "cp f nl/p",
        "tee nl/p < f",
        "echo x > nl/p",
        "mkdir nl/p",
        "dd if=f of=nl/p",
        "cd nl && touch p",
        "for d in n*; do touch $d/p; done",
    ];
    let lines = pairs(&makes, &writes);
    assert!(lines.len() > 200);
    let wrong = allowed_lines(&scene, &[(&policy, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(60)]);
}

/// The same of what a checkout names, and of reads below what was unpacked. Attack 220.
#[test]
fn given_files_that_come_from_elsewhere_then_what_lies_below_them_may_be_a_link() {
    let scene = scene();
    let policy = scene.denying(&["read(secret/**)"]);
    let brings = [
        "git checkout evil -- nl",
        "git checkout HEAD~1 -- nl",
        "git checkout evil nl",
        "git checkout -- nl",
        "git restore nl",
        "git restore -s evil nl",
        "git restore --source=evil nl",
        "git restore --source=evil --staged --worktree nl",
        "git checkout evil -- .",
        "git read-tree -u -m evil",
        "git read-tree -u --reset evil",
        "git checkout-index -f -a",
        "git --work-tree=. checkout evil -- nl",
        "tar xf a.tar",
        "unzip a.zip",
        "git switch evil",
        "git pull",
        "git stash pop",
        "jar xf a.jar",
        "python3 -m zipfile -e a.zip .",
    ];
    let goes = [
        "touch nl/p",
        "cp f nl/p",
        "tee nl/p < f",
        "echo x > nl/p",
        "mkdir nl/p",
        "dd if=f of=nl/p",
        "cd nl && touch p",
        "cat nl/key",
        "head -1 nl/key | wc -c",
        "cat < nl/key",
        "for d in nl/*; do touch $d/p; done",
    ];
    let lines = pairs(&brings, &goes);
    assert!(lines.len() > 400);
    let wrong = allowed_lines(&scene, &[(&policy, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(60)]);
    // Where no rule is about reading, a file of an archive is one as any of which nobody knows what it is.
    let free = scene.denying(&[]);
    let quiet = ["tar xf a.tar && cat nl/x", "unzip a.zip && head nl/x", "git pull && cat nl/README.md"];
    let quiet = quiet.map(str::to_owned);
    assert_eq!(allowed_lines(&scene, &[(&free, Mode::Auto)], &quiet), quiet);
}

/// And a name that is not there now may be a link itself: what is copied to it goes where it leads. Attack 220.
#[test]
fn given_files_that_come_from_elsewhere_then_a_new_name_among_them_may_be_a_link_itself() {
    let scene = scene();
    let policy = scene.denying(&[]);
    let brings = [
        "git switch -q evil",
        "git checkout evil",
        "git checkout evil -- .",
        "git -C . switch evil",
        "git pull",
        "git merge evil",
        "git stash pop",
        "git reset --hard evil",
        "git rebase evil",
        "git cherry-pick evil",
        "git apply x.patch",
        "git am x.patch",
        "patch -p1 < x.patch",
        "tar xf a.tar",
        "tar -xzf a.tgz -C .",
        "unzip a.zip",
        "7z x a.7z",
        "python3 -m tarfile -e a.tar",
        "env git switch evil",
        "bash -c 'git switch evil'",
    ];
    let goes = [
        "cp f nl",
        "cp src/a.rs f nl",
        "mv f nl",
        "install f nl",
        "touch nl",
        "echo x > nl",
        "cat f >> nl",
        "tee nl < f",
        "tee -a nl < f",
        "dd if=f of=nl",
        "sort f -o nl",
        "ln f nl",
        "cp f src/nl",
        "for d in n*; do touch $d/p; done",
        "for d in *; do touch $d; done",
        "for d in *; do cp f $d; done",
        "cp f n*",
        "cp f n*/",
        "cp f src/n*",
        "touch n*",
        "ls q | while read d; do touch q/$d/p; done",
    ];
    let lines = pairs(&brings, &goes);
    assert!(lines.len() > 400);
    let wrong = allowed_lines(&scene, &[(&policy, Mode::Auto)], &lines);
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), lines.len(), &wrong[..wrong.len().min(60)]);
}

/// The other side: without a link among what is moved, and with one where what is used is there already. Attack 220.
#[test]
fn given_a_line_that_brings_no_link_then_what_comes_after_is_as_before() {
    let scene = scene();
    std::fs::remove_file(scene.root.join("zl")).unwrap();
    let policy = scene.denying(&["read(secret/**)"]);
    let lines = [
        "x=g; mv f $x; echo y > h",
        "x=s3; mv src $x; echo y > s3/b.rs",
        "for f in src/*.rs; do mv $f $f.bak; done; touch n",
        "for f in src/*; do cp $f out/; done; touch out/p",
        "mv src s3 && for d in *3; do touch $d/p; done",
        "cp -r src s3; for f in s3/*.rs; do cat $f; done",
        "eval mv src s3; touch s3/p",
        "mv f d/ && cat d/f",
        "mkdir -p n/m && cp f n/m/ && cat n/m/f",
        "git checkout -- src/a.rs && sed -i s/a/b/ src/a.rs",
        "git checkout main -- src/a.rs && cat src/a.rs",
        "git restore src/a.rs && cargo fmt && cat src/a.rs",
        "git checkout -b topic && mkdir -p n/m && touch n/m/x",
        "git checkout main -- src && mkdir -p n/m && touch n/m/x",
        "git mv src/a.rs src/b.rs && cat src/b.rs",
        "mv q q3 && cat src/a.rs",
        "mv q q3 && for f in src/*.rs; do touch $f; done",
        "x=q3; mv q $x; cat src/a.rs; sed -i s/a/b/ src/a.rs",
        "ln -s src s3 && cat src/a.rs && touch out/p",
        "ln -sf ../f out/l; echo y > h",
        "tar xf a.tar && cat f && touch f",
        "tar cf a.tar src && ls -l a.tar",
        "git pull && touch f && sed -i s/a/b/ src/a.rs",
        "git stash pop && cat src/a.rs",
    ];
    let lines = lines.map(str::to_owned);
    assert_eq!(allowed_lines(&scene, &[(&policy, Mode::Auto)], &lines), lines);
}
