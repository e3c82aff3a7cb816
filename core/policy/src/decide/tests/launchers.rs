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

/// Attack 622: operands of a program with sub-commands covered those that are not listed, and the first word of an entry that says nothing
/// counted as one.
#[test]
fn given_a_sub_command_that_runs_words_then_a_denial_of_what_it_starts_is_hit() {
    let rules = [
        (Allow, "shell(*)"),
        (Deny, "shell(npm publish *)"),
        (Deny, "shell(touch *)"),
        (Deny, "shell(touch)"),
    ];
    ruled(
        &rules,
        &[
            "meson devenv -C build touch x",
            "meson subprojects foreach touch x",
            "meson unheard-of touch x",
            "yarn workspace a touch x",
            "yarn workspace a exec touch x",
            "corepack npm@9 publish",
            "npx npm@latest publish",
            "npx --yes @scope/x@1 touch x",
            "pnpm dlx npm@9 publish",
            "corepack pnpm dlx touch x",
            "brew exec touch x",
            "brew bundle exec touch x",
            "brew unheard-of touch x",
            "mill touch x",
            "snap run touch x",
            "dnf unheard-of touch x",
            "sem -j2 touch x",
            "parallel -- ls 'touch x'",
            "parallel -j 3 -- ls df touch",
        ],
        Deny,
    );
    ruled(
        &rules,
        &[
            "meson install",
            "apt install touch",
            "apt-get -y remove touch",
            "dnf install touch",
            "snap install touch",
            "gem install touch",
            "meson subprojects download",
            "yarn workspace a build",
            "corepack use npm@9",
            "brew upgrade touch",
        ],
        Allow,
    );
}

/// Attack 623: programs with a small language of their own, in which a text runs a line.
#[test]
fn given_a_text_in_a_small_language_then_it_is_asked_about_where_it_runs_something() {
    let asked: &[(&str, &[&str])] = &[
        (
            "dc",
            &[
                "dc -e '!touch x'",
                "dc -e '2 2 + p !touch x'",
                "dc -e '?'",
                "dc a.dc",
                "dc -f a.dc",
                "dc --file=a.dc",
            ],
        ),
        (
            "mlr",
            &[
                "mlr --csv put '$a = system(\"touch x\")' f",
                "mlr -n put 'end { print exec (\"touch\", [\"x\"]) }'",
                "mlr --csv put -q 'tee > $a.\".csv\", $*' f",
                "mlr --csv put 'print | \"touch x\", $a' f",
                "mlr --csv tee -p 'touch x' f",
                "mlr --load x.mlr cat f",
                "mlr --csv --prepipex 'touch x' cat f",
            ],
        ),
        (
            "exiftool",
            &[
                "exiftool -p '${x;system(\"touch x\")}' a",
                "exiftool -p x.fmt a",
                "exiftool '-Artist<${Comment;system(1)}' a",
                "exiftool -api 'Filter=system(1)' a",
                "exiftool -if '$Make =~ s/(.*)/$1/ee' a",
                "exiftool -if2 '&{\"sys\".\"tem\"}(1)' a",
                "exiftool -IF '&$Comment' a",
                "exiftool -@ x.args",
            ],
        ),
        (
            "rpm",
            &[
                "rpm -E '%{lua:os.execute(1)}'",
                "rpm -D 'a %{expand:%%(touch x)}' -q b",
                "rpm -qa --pipe 'touch x'",
            ],
        ),
        ("duckdb", &["duckdb a '.shell touch x'", "duckdb a \"load './x.duckdb_extension'\""]),
        ("apt-get", &["apt-get install -o DPkg::Pre-Invoke::='touch x' y"]),
        ("dnf", &["dnf --setopt=pluginpath=./x install y", "dnf install -c ./x.conf y"]),
        ("timeout", &["timeout 5 sqlite3 a '.shell touch x'"]),
        ("tsx", &["tsx --import ./x a.ts", "tsx -r ./x a.ts"]),
        ("ts-node", &["ts-node -r ./x a.ts", "ts-node -C ./x a.ts"]),
    ];
    for (program, lines) in asked {
        ruled(&[(Allow, &format!("shell({program} *)")), (Allow, "shell(sqlite3 *)")], lines, Ask);
    }
    let denied = [(Allow, "shell(*)"), (Deny, "shell(touch *)")];
    ruled(
        &denied,
        &[
            "dc -e '2 2 + p !touch x'",
            "mlr --csv put '$a = system(\"touch x\")' f",
            "exiftool -p '${x;system(\"touch x\")}' a",
            "rpm -E '%(touch x)'",
            "rpm -qa --pipe 'touch x'",
            "dpkg --pre-invoke='touch x' -i a.deb",
            "dpkg --post-inv 'touch x' -i a.deb",
            "duckdb a '.shell touch x'",
        ],
        Deny,
    );
    ruled(
        &denied,
        &[
            "dc -e '2 3 !=a p'",
            "mlr --icsv --ojson cat f",
            "mlr --icsv filter '$exec_time > 5' then sort -nr y f",
            "exiftool -if '$ImageWidth > 100 && $Make eq \"Canon\"' -FileName a",
            "exiftool -if 'not defined $x or $Make =~ /canon/i' a",
            "exiftool -p '$FileName $ImageSize' a",
            "rpm -E '%{?dist}'",
            "rpm --define '_topdir /w/x' -q b",
            "rpm -q --qf '%{NAME}' b",
            "duckdb a '.tables'",
            "duckdb a 'select 1'",
            "tsx a.ts",
            "ts-node a.ts",
            "pandoc --toc -s a.md",
            "pandoc --pdf-engine=xelatex a.md",
            "parallel -a f echo {}",
            "parallel -- ls",
            "parallel echo -- a b",
        ],
        Allow,
    );
}

/// Attack 624: options that no table lists, called as what they run.
#[test]
fn given_an_option_that_is_called_as_what_it_runs_then_it_is_asked_about() {
    for option in [
        "--pre-invoke",
        "--password-command",
        "--deploy-hook",
        "--credential-helper",
        "--compress-program",
        "--lua-filter",
        "--onSuccess",
        "--rsh",
        "--post-script",
        "--script",
        "--cc-wrapper",
    ] {
        let line = format!("unheard-of {option} 'touch x'");
        ruled(&[(Allow, "shell(unheard-of *)")], &[&line], Ask);
        ruled(&[(Allow, "shell(*)"), (Deny, "shell(touch *)")], &[&line], Deny);
    }
    ruled(
        &[(Allow, "shell(*)"), (Deny, "shell(touch *)")],
        &[
            "unheard-of --filter a",
            "docker ps --filter name=a",
            "unheard-of --ignore-scripts",
            "unheard-of --logger x",
        ],
        Allow,
    );
    ruled(
        &[(Allow, "shell(*)")],
        &[
            "iptables -M ./x -L",
            "ssh-add -qs ./x.so",
            "tshark -Xlua_script:x.lua",
            "pandoc -sF ./x a.md",
            "pandoc -t ./w.lua a.md",
        ],
        Ask,
    );
}

/// Attack 625: Linux opens `/dev/stderr` anew: what was opened there to be read would be written.
#[test]
fn given_a_redirection_to_its_own_output_then_it_is_asked_about_where_that_may_be_a_file_that_is_read() {
    let rules = [(Allow, "shell(*)"), (Allow, "read(/w/**)")];
    ruled(
        &rules,
        &[
            "echo x 2<.env > /dev/stderr",
            "echo x 2<>.env > /dev/stderr",
            "< .env echo x 2>&0 > /dev/stderr",
            "exec 2<.env; echo x > /dev/stderr",
            "f() { echo x > /dev/stderr; }; f 2<.env",
            "f() { echo x > /dev/fd/1; }; f 3<.env 1>&3",
            "echo x > /dev/fd/3",
            "echo x > /dev/stderr/x",
            "eval 'exec 2'\\<.env; echo x > /dev/stderr",
        ],
        Ask,
    );
    ruled(
        &rules,
        &[
            "echo x > /dev/stderr 2>&1",
            "echo x 2>/dev/null > /dev/stdout",
            "cat a >> /dev/fd/2 < b",
            "echo x | cat > /dev/stderr",
        ],
        Allow,
    );
}

/// Attack 626: a value that makes an option harmless is only that value.
#[test]
fn given_a_value_with_which_an_option_is_harmless_then_others_are_asked_about() {
    ruled(
        &[],
        &[
            "less +G f",
            "less +100 f",
            "less +/foo f",
            "less '+/a b' f",
            "more +/foo f",
            "more +20 f",
            "sort -T . f",
            "sort -T/tmp f",
            "sort --temporary-directory=/tmp f",
        ],
        Allow,
    );
    ruled(
        &[(Allow, "shell(*)")],
        &[
            "less +Gv f",
            "less '+G!touch x' f",
            "less +v f",
            "less '+s out' f",
            "less '+|' f",
            "less $'+/a\n!touch x' f",
            "sort -T ../x f",
            "sort -T /etc f",
            "sort -T. -o g --compress-program=./x f",
        ],
        Ask,
    );
    ruled(&[(Allow, "shell(rake *)")], &["RAILS_ENV=production rake db"], Ask);
    ruled(
        &[(Allow, "shell(rake *)")],
        &["RAILS_ENV=test rake db", "VERBOSE=1 rake db", "SKIP=a,b rake db"],
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

/// D1.18. Attack 799.
#[test]
fn given_a_text_in_code_that_begins_with_a_denied_command_then_it_is_asked_about_and_never_denied() {
    let rules = [(Allow, "shell(*)"), (Deny, "shell(touch *)")];
    ruled(
        &rules,
        &[
            "perl -e 'system qw(touch x)'",
            "perl -e 'exec {\"touch\"} \"touch\",\"x\"'",
            "ruby -e 'system *%w[touch x]'",
            "php -r 'pcntl_exec(\"/usr/bin/touch\",[\"x\"]);'",
            "elixir -e 'System.cmd(\"touch\",[\"x\"])'",
            "Rscript -e 'system2(\"touch\",\"x\")'",
            "groovy -e '[\"touch\",\"x\"].execute()'",
        ],
        Ask,
    );
    ruled(
        &rules,
        &[
            "python3 -c 'print(\"touch\")'",
            "python3 -c 'print(\"do not touch\")'",
            "node -e 'x.touch()'",
            "ruby -e 'puts \"a touch\"'",
        ],
        Allow,
    );
}

/// D2.32. Attack 799.
#[test]
fn given_a_text_for_a_program_that_may_do_anything_with_it_then_a_denied_command_there_is_asked_about() {
    let rules = [(Allow, "shell(*)"), (Deny, "shell(touch *)"), (Allow, "write(**)")];
    ruled(
        &rules,
        &[
            "erb <<< '<%= system(\"touch x\") %>'",
            "flask shell <<< 'import os; os.system(\"touch x\")'",
            "rails console <<< 'system \"touch x\"'",
            "groff -U <<< '.sy touch x'",
            "mail <<< '~!touch x'",
            "npx zx <<< 'await $`touch x`'",
            "run-parts /bin",
        ],
        Ask,
    );
    ruled(&rules, &["nvm exec touch x", "nvm exec --lts touch x", "hatch run lint:touch x"], Deny);
    ruled(
        &rules,
        &[
            "cat <<< 'touch x'",
            "grep a <<< 'touch x'",
            "unheard-of <<< 'do not touch'",
            "tee a <<< 'touch x'",
        ],
        Allow,
    );
}

/// D2.22. Attack 799.
#[test]
fn given_another_name_of_a_denied_program_or_sub_command_then_it_is_denied() {
    for (denied, lines) in [
        ("shell(pip install *)", &["pip3 install x", "pip3.12 install x", "pip3.99 install x"][..]),
        ("shell(npm install *)", &["npm it x", "npm install-test x"]),
        ("shell(npm test *)", &["npm run test", "npm t"]),
        ("shell(composer require *)", &["composer req x", "composer r x"]),
        ("shell(ip link *)", &["ip li set x", "ip -4 l set x"]),
        ("shell(ip address add *)", &["ip -4 a a x", "ip addr add x"]),
    ] {
        ruled(&[(Allow, "shell(*)"), (Deny, denied)], lines, Deny);
    }
    let rules = [(Allow, "shell(*)"), (Deny, "shell(pip3 install *)"), (Deny, "shell(npm test *)")];
    ruled(&rules, &["pip install x", "npm run build"], Allow);
}
