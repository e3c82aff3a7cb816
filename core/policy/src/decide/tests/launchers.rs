//! Programs that start others without looking like it: what stands behind them, what their options and scripts run (D2.16, D2.21).

use super::*;

/// What rules make of each line.
fn ruled(rules: &[(Effect, &str)], lines: &[&str], expected: Effect) {
    let policy = policy(rules);
    let wrong: Vec<_> = lines.iter().filter(|line| effect(&policy, &shell(line)) != expected).collect();
    assert!(wrong.is_empty(), "under {rules:?} not {expected:?}: {wrong:#?}");
}

/// Attack 620: a launcher that was taken for a program of its own let what stands behind it pass a denial.
#[test]
fn given_a_launcher_then_a_denial_of_what_it_starts_is_hit() {
    let rules = [(Allow, "shell(*)"), (Deny, "shell(npm publish *)"), (Deny, "shell(touch *)")];
    ruled(
        &rules,
        &[
            "corepack npm publish",
            "meson devenv touch x",
            "meson devenv -- touch x",
            "meson -v devenv -w . touch x",
        ],
        Deny,
    );
    ruled(
        &rules,
        &["corepack npm test", "corepack enable", "meson setup build", "meson devenv ninja"],
        Allow,
    );
}

/// Attack 621: options and scripts that run lines, of programs that are allowed with any words.
#[test]
fn given_an_option_or_a_script_that_runs_a_line_then_an_allow_of_the_program_does_not_cover_it() {
    for (program, lines) in [
        ("parallel", &["parallel -a cmds", "parallel --arg-file cmds", "parallel -j2 -a cmds"][..]),
        ("dpkg", &["dpkg --pre-invoke='touch x' --configure -a", "dpkg --status-logger=./x -i a.deb"]),
        ("openssl", &["openssl engine -t /abs/x.so", "openssl engine -pre SO_PATH:./x.so -pre LOAD dynamic"]),
        ("rpm", &["rpm --eval '%(touch x)'", "rpm -E '%(touch x)'", "rpm --define 'a %(touch x)' -q b"]),
        ("exiftool", &["exiftool -if 'system(\"touch x\")' a", "exiftool -config x.cfg a"]),
        ("git", &["git web--browse http://x/"]),
        ("ctest", &["ctest --build-and-test a b --test-command ./x"]),
        ("pandoc", &["pandoc --filter ./x a.md", "pandoc --lua-filter=x.lua a.md"]),
        ("cpio", &["cpio -i --rsh-command=./x -F h:a"]),
        ("ssh-add", &["ssh-add -s ./x.so"]),
        ("tshark", &["tshark -X lua_script:x.lua -r a"]),
        ("mlr", &["mlr --prepipe 'touch x;cat' cat a"]),
    ] {
        ruled(&[(Allow, format!("shell({program} *)").as_str())], lines, Ask);
    }
    for (program, lines) in [
        ("dpkg", &["dpkg -l", "dpkg -L bash"][..]),
        ("openssl", &["openssl engine -c", "openssl version"]),
        ("rpm", &["rpm -qa", "rpm -qi bash"]),
        ("exiftool", &["exiftool a.jpg", "exiftool -json -n a.jpg"]),
        ("ctest", &["ctest --output-on-failure -j 4"]),
        ("pandoc", &["pandoc -f markdown -t html a.md"]),
        ("ssh-add", &["ssh-add -l"]),
        ("tshark", &["tshark -r a.pcap -Y http"]),
    ] {
        ruled(&[(Allow, format!("shell({program} *)").as_str())], lines, Allow);
    }
}

/// Lines that only look as if they did more.
#[test]
fn given_everyday_lines_of_the_same_programs_then_nothing_is_asked() {
    ruled(
        &[(Allow, "shell(*)"), (Deny, "shell(curl *)")],
        &[
            "brew install curl",
            "brew info curl",
            "echo error > /dev/stderr",
            "echo text >> /dev/stdout",
            "HUSKY=0 git commit -m x",
            "DOCKER_BUILDKIT=1 docker build .",
            "UPDATE_SNAPSHOTS=1 npm test",
            "RAILS_ENV=test rake db",
            "less +G a.txt",
            "less +F a.log",
        ],
        Allow,
    );
    ruled(
        &[(Allow, "shell(*)")],
        &["less '+!touch x' a", "echo x > /dev/tcp/h/1", "PAGER=./x git log", "exec < /dev/stdin"],
        Ask,
    );
}
