//! Files that a program opens under another name than the one that it is given: names with something at their end, names that it
//! looks for itself, addresses, names in archives, names in folders (D2.25).

use super::*;

/// What lies in the folder, and what is denied there.
fn scene() -> (Scene, Policy) {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.root.join("secret")).unwrap();
    for file in
        ["secret/key", "key", "plain", "plain.gz", "sec.gz", "s.zip", "p.zip", "cert.pem", "log.bz2", "prog"]
    {
        std::fs::write(scene.root.join(file), "x").unwrap();
    }
    // Two members, and no archive among them.
    let member = |name: &str, text: &str| format!("{name:<16}{:<32}{:<10}`\n{text}", "0", text.len());
    let members = [member("a.o/", "\x7fELF"), member("b.o/", "ab")].concat();
    std::fs::write(scene.root.join("lib.a"), format!("!<arch>\n{members}")).unwrap();
    let thin = format!("!<thin>\n{}", member("secret/x.o/", ""));
    std::fs::write(scene.root.join("thin.a"), &thin).unwrap();
    std::fs::write(scene.root.join("named.o"), &thin).unwrap();
    std::fs::write(scene.root.join("nested.a"), format!("!<arch>\n{members}{}", member("t.a/", &thin)))
        .unwrap();
    let long = member("#1/8", &format!("nested.a{thin}"));
    std::fs::write(scene.root.join("long.a"), format!("!<arch>\n{long}")).unwrap();
    let policy = scene.denying(&[
        "read(secret/**)",
        "read(sec.*)",
        "read(sec-gz)",
        "read(s.zip)",
        "write(sec.gz)",
        "write(made.zip)",
    ]);
    (scene, policy)
}

/// The lines as they are, and as they stand inside of others.
fn wrapped(lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let around = |line: String| {
        [
            line.clone(),
            format!("timeout 5 {line}"),
            format!("{line} | head -3"),
            format!("cd . && {line}"),
            format!("bash -c \"{}\"", line.replace('"', "\\\"")),
            format!("for i in 1 2; do {line}; done"),
        ]
    };
    lines.into_iter().flat_map(around).collect()
}

/// D2.25, attack 108: `zcat sec` opens `sec.gz`.
#[test]
fn given_a_program_that_tries_other_endings_then_what_it_finds_so_is_read() {
    let (scene, policy) = scene();
    scene.link("nowhere", "dangling");
    scene.link(scene.home.join(".ssh/id_rsa"), "dangling.gz");
    scene.link(scene.home.join(".ssh/id_rsa"), "l.gz");
    scene.link(scene.home.join(".ssh/id_rsa"), "k.zip");
    let commands = [
        "zcat {}",
        "zcat -f {}",
        "gzcat {}",
        "gzip -cd {}",
        "gzip -cdf {}",
        "gzip -l {}",
        "gunzip -c {}",
        "gzip -dc -- {}",
        "pigz -dc {}",
        "unpigz -c {}",
        "zgrep T {}",
        "zegrep T {}",
        "zfgrep T {}",
        "xzgrep T {}",
        "zgrep -h '' {}",
        "zgrep -e T {}",
        "zgrep T plain.gz {}",
        "gunzip {}",
        "gzip -d {}",
        "pigz -d {}",
        "gunzip -k {}",
        "gzip {}",
        "uncompress -c {}",
        "zless {}",
        "zdiff plain {}",
        "zcmp {} plain",
        "zmore {}",
        "gzip -t {}",
        "zcat plain.gz {}",
    ];
    let words = ["sec", "./sec", "src/../sec", "\"$PWD\"/sec", "l", "dangling", "d*g", "s\"e\"c"];
    let zip = [
        "unzip -p {}",
        "unzip -l {}",
        "unzip -c {}",
        "unzip -Z1 {}",
        "unzip -t {}",
        "zipinfo {}",
        "zipinfo -1 {}",
        "unzip -qq -p {} x",
        "unzip {}",
        "unzip -o {} -d out",
        "zipgrep T {}",
    ];
    let names = ["s", "./s", "src/../s", "k"];
    let lines = commands.iter().flat_map(|command| words.map(|word| command.replace("{}", word)));
    let zipped = zip.iter().flat_map(|command| names.map(|word| command.replace("{}", word)));
    let own = [
        "gzip -S .gz -cd sec",
        "gzip -S .sec -dc s",
        "gzip --suffix=.zip -cd s",
        "zip made src/a.rs",
        "zip -q made key",
    ];
    let lines = wrapped(lines.chain(zipped).chain(own.map(str::to_owned)));
    // What an option has for its end is only known where it is said.
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.contains("-S .sec")).collect();
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 1500);
}

/// Attack 108, where the line takes the file away first, so that the other is found.
#[test]
fn given_a_file_that_the_line_removes_then_the_other_name_counts() {
    let (scene, policy) = scene();
    std::fs::write(scene.root.join("sec"), "x").unwrap();
    let before = ["rm sec; ", "mv sec plain && ", "make && ", "git stash; "];
    let lines: Vec<String> = ["zcat sec", "zgrep T sec", "gunzip -c sec", "zcat -f sec"]
        .iter()
        .flat_map(|line| before.map(|before| format!("{before}{line}")))
        .collect();
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 16);
    let there = ["zcat sec", "zcat -f sec", "zgrep T sec"].map(str::to_owned);
    held(&wrong(&scene, &policy, there, |it| it.effect == Allow), 3, 3);
}

/// D2.25, attack 108: `unzip 's*'` looks for names itself, whatever the shell does with the word.
#[test]
fn given_a_program_with_wildcards_of_its_own_then_a_quoted_word_is_a_glob() {
    let (scene, policy) = scene();
    let commands = [
        "unzip -p {}",
        "unzip -l {}",
        "unzip -c {}",
        "unzip -Z1 {}",
        "unzip -t {}",
        "zipinfo {}",
        "zipinfo -1 {}",
        "unzip -v {}",
        "unzip {}",
        "unzip -qq -p {} x",
        "zipgrep T {}",
        "unzip -o {} -d out",
    ];
    let words = [
        "'s*.zip'",
        "'s?zip'",
        "'[s].zip'",
        "'*'",
        "s\\*",
        "'\\s*'",
        "./'*.zip'",
        "\"s.*\"",
        "'?.zip'",
        "'*'.zip",
        "src/../'s*'",
        "'s[.]zip'",
    ];
    let other = [
        "7z l 's*'",
        "7z a out.7z 'se*'",
        "7z a out.7z 's?c.gz'",
        "7z x -so 's?zip'",
        "7z t '*.zip'",
        "7za l 's.*'",
        "unrar p '*'",
        "7z e '*.zip'",
    ];
    let lines = commands.iter().flat_map(|command| words.map(|word| command.replace("{}", word)));
    let lines = wrapped(lines.chain(other.map(str::to_owned)));
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 800);
}

/// D2.27, attack 85: what takes a file of the same name out of a folder that it is given goes below that folder.
#[test]
fn given_a_folder_where_a_program_looks_for_a_name_then_it_is_gone_through() {
    let (scene, policy) = scene();
    scene.link("secret", "dlink");
    let commands = [
        "sdiff {} key",
        "sdiff key {}",
        "sdiff -s key {}",
        "sdiff -w 200 {} key",
        "sdiff -- key {}",
        "diff {} key",
        "diff key {}",
        "diff --to-file={} key",
        "diff --to-file {} key",
        "diff --from-file={} key",
        "diff -u --from-file {} key",
        "colordiff key {}",
        "diff --from={} key",
        "vimdiff key {}",
        "vim -d {} key",
        "git diff --no-index {} key",
        "go version {}",
        "go version -m {}",
        "scc {}",
        "tokei {}",
        "cloc {}",
        "scc",
        "tokei src {}",
        "scc --by-file {}",
        "bzgrep T log.bz2 {}",
    ];
    let words = ["secret", "./secret", "secret/", "dlink", "dl*", "src/../secret", "secret/.", "\"secret\""];
    let lines = wrapped(commands.iter().flat_map(|command| words.map(|word| command.replace("{}", word))));
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 800);
}

/// D2.28, attack 77: a script that takes its words apart again may be told anything by them.
#[test]
fn given_a_script_that_splits_its_words_then_it_may_go_through_the_folder() {
    let (scene, policy) = scene();
    let lines = [
        "bzgrep -A '1 -r' TOP .",
        "bzgrep -A '1 -r --include=k?y . ' -e TOP log.bz2",
        "bzgrep -B '1 -r' TOP log.bz2",
        "bzgrep -C \"1 -r\" T log.bz2",
        "bzgrep -m '1 -R' T log.bz2",
        "bzegrep -A '1 -r' T log.bz2",
        "bzfgrep -A '1 -r' T log.bz2",
        "bzgrep '-h -r' T log.bz2",
        "bzgrep -A '1 secret/key' T log.bz2",
        "bzgrep -e x -e secret/key log.bz2",
        "bzgrep -f secret/key log.bz2",
        "bzgrep T sec",
        "bzgrep -A $X T log.bz2",
        "bzgrep -A '[1] -r' T log.bz2",
        "bzgrep -A\t'1\t-r' T .",
    ];
    let policy_of_names = scene.denying(&["read(secret/**)", "read(sec.bz2)"]);
    let lines = wrapped(lines.map(str::to_owned));
    held(&wrong(&scene, &policy_of_names, lines.clone(), |it| it.effect != Allow), lines.len(), 80);
    let fine = ["bzgrep T log.bz2", "bzgrep -i T log.bz2 plain", "bzgrep -A 1 T log.bz2"].map(str::to_owned);
    held(&wrong(&scene, &policy, fine, |it| it.effect == Allow), 3, 3);
}

/// D2.28, attack 77: what stands for an address decides what is loaded, so it is asked about whatever the rules say.
#[test]
fn given_an_address_where_a_file_should_be_then_it_is_asked_about_always() {
    let (scene, policy) = scene();
    let commands = [
        "openssl x509 -noout -in {}",
        "openssl x509 -in {} -noout -text",
        "openssl x509 -noout --in {}",
        "openssl x509 -noout -in={}",
        "openssl rsa -in {}",
        "openssl pkey -in {} -noout",
        "openssl s_client -cert {}",
        "openssl req -key {} -new",
        "openssl ec -in {}",
        "openssl pkeyutl -inkey {} -sign",
    ];
    let words = [
        "org.openssl.engine:./evil:x",
        "org.openssl.engine:../../w/evil:x",
        "ORG.OPENSSL.ENGINE:/w/evil.so:x",
        "pkcs11:object=x",
        "file:secret/key",
        "FILE:cert.pem",
        "'org.openssl.engine:evil:x'",
        "org.openssl.engine:$X",
        "\"a b:c\"",
        "$X",
    ];
    let lines = wrapped(commands.iter().flat_map(|command| words.map(|word| command.replace("{}", word))));
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 600);
}

/// D2.25, attack 108: names that stand in an archive are read as well.
#[test]
fn given_an_archive_that_only_names_its_members_then_it_could_read_any() {
    let (scene, policy) = scene();
    scene.link("thin.a", "linked.a");
    let commands = [
        "nm {}",
        "nm -a {}",
        "objdump -s {}",
        "objdump -t {}",
        "objdump -d -- {}",
        "readelf -a {}",
        "readelf -p .data {}",
        "size {}",
        "nm prog {}",
        "nm -A {} prog",
        "otool -L {}",
        "size -A {}",
    ];
    let words =
        ["thin.a", "./thin.a", "named.o", "nested.a", "long.a", "linked.a", "src/../thin.a", "thin\".a\""];
    let lines = wrapped(commands.iter().flat_map(|command| words.map(|word| command.replace("{}", word))));
    held(&wrong(&scene, &policy, lines.clone(), |it| it.effect != Allow), lines.len(), 500);
}

/// The programs of attack 108 and their like, where each opens what it is given: in plan mode, with nothing allowed.
#[test]
fn given_names_that_are_what_they_seem_then_they_are_only_read() {
    let (scene, _) = scene();
    let places = PatternBases {
        home: Some(scene.home.clone()),
        roots: vec![scene.root.clone()],
        ..PatternBases::default()
    };
    let policy = Policy { protection: Protection::built_in(&places, &[]).unwrap(), ..Policy::default() };
    let lines = [
        "zcat plain.gz",
        "zcat plain.gz | head -3",
        "zcat plain",
        "zcat nothing.gz",
        "zcat *.gz",
        "zgrep x plain.gz",
        "zgrep -n x plain.gz plain",
        "zegrep 'a|b' plain.gz",
        "xzgrep x plain.xz",
        "gzip -l plain.gz",
        "gunzip -c plain.gz",
        "gzip -cd plain.gz src/a.rs",
        "bzcat log.bz2",
        "unzip -l p.zip",
        "unzip -l p",
        "unzip -p p.zip a.txt",
        "unzip -p p.zip 'a*'",
        "zipinfo p.zip",
        "unzip -Z1 p.zip",
        "diff key plain",
        "diff -u key plain",
        "sdiff key plain",
        "sdiff -s key plain",
        "diff --to-file=key plain",
        "diff src sub",
        "openssl x509 -noout -in cert.pem",
        "openssl x509 -noout -in ./a:b/cert.pem",
        "openssl x509 -noout -text -in ./cert.pem",
        "openssl x509 -in cert.pem -noout -dates",
        "nm prog",
        "nm -D prog | head",
        "nm lib.a",
        "objdump -d prog",
        "readelf -h prog",
        "size prog lib.a",
        "objdump -t lib.a",
        "tokei",
        "tokei src",
        "scc src",
        "cat key | nm",
        "zcat < plain.gz",
        "zcat - < plain.gz",
    ];
    let plan = |line: &str| {
        let standing = SessionStanding {
            mode: Mode::Plan,
            bypass: false,
            grants: &Grants::default(),
            servers: passed(),
        };
        let decision = decide(&policy, &scene.shell(line), &standing);
        let why =
            || decision.deciding_finding().map(|finding| format!("{} {}", finding.access, finding.reason));
        (decision.effect != Allow).then(|| format!("{line}: {} {:?}", decision.effect, why()))
    };
    let found: Vec<String> = lines.iter().filter_map(|line| plan(line)).collect();
    held(&found, lines.len(), 42);
}

/// Scripts around grep know fewer of its options: to them the word behind one is the pattern, and the next one a file.
/// Attack 615.
#[test]
fn given_an_option_of_grep_that_a_script_around_it_does_not_know_then_each_word_is_read_in_each_way() {
    let scene = Scene::new();
    let policy = scene.denying(&["read(.env)", "read(secrets/**)"]);
    for program in ["zgrep", "zegrep", "zfgrep", "xzgrep", "xzegrep", "xzfgrep", "lzgrep"] {
        let lines = [
            format!("{program} --group-separator KEY .env a.txt"),
            format!("{program} --group-separator SECRET secrets/key.txt a.txt"),
            format!("{program} --group-sep KEY .env a.txt"),
            format!("{program} -n -A 1 --group-separator KEY .env a.txt"),
        ];
        held(&wrong(&scene, &policy, lines, |decision| decision.effect > Allow), 4, 4);
        let quiet = [
            format!("{program} KEY a.txt"),
            format!("{program} -n -A 3 KEY a.txt src/a.rs"),
            format!("{program} --group-separator=-- -A 1 KEY a.txt"),
            format!("{program} --group-separator -- KEY a.txt"),
            format!("{program} -e .env a.txt"),
        ];
        held(&wrong(&scene, &policy, quiet, |decision| decision.effect == Allow), 5, 5);
    }
    let grep = ["grep --group-separator -- KEY a.txt".to_owned()];
    held(&wrong(&scene, &policy, grep, |decision| decision.effect == Allow), 1, 1);
}
