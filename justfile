# What people and CI run: `just` lists it. `tests/run` is for a machine where nothing is installed yet.

set shell := ["bash", "-euo", "pipefail", "-c"]

# List the recipes.
default:
    @just --list --unsorted

# Build what the tests are, and the programs that they start.
build:
    # Not `cargo build`: without the features that only tests ask for, a half of it would be compiled once more for them.
    cargo test --workspace --no-run

# Format all code.
fmt:
    cargo fmt --all
    cargo fmt --manifest-path tests/fuzz/Cargo.toml

# Check what no reviewer should have to say: format, lints, documentation.
lint: doc
    cargo fmt --all --check
    cargo fmt --manifest-path tests/fuzz/Cargo.toml --check
    cargo clippy --workspace --all-targets -- -D warnings

# Build the documentation, where a broken link is an error.
doc:
    # With the examples, dependencies have the features that tests ask for, and clippy has checked them with these.
    # Not the program `mayi`: the library has the same name.
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --lib --examples --bin '*_*'

# Check with clippy what is shipped for Windows, macOS and musl, where nothing of it runs: TARGETS as Rust calls them. Rust's libraries for them are added by rustup (about 100 MB), and no C is compiled: tests/systems.
check-systems *targets:
    tests/systems/check {{ targets }}

# Check licences and sources of all dependencies by deny.toml, with cargo-deny, which has to be installed. A test holds the same of what is built here. CHECKS: also advisories, where their database can be fetched.
deny *checks="licenses bans sources":
    cargo deny check {{ checks }}

# What has a recipe of its own below.
apart := "binary(real_agents) | binary(mcp_servers) | binary(responses_clients) | binary(acp_clients) | binary(packages) | binary(torture)"

# What takes ten seconds and more: thousands of generated lines, every kind of card, floods, kills, waits that are counted.
long := """
      (binary(decisions) & test(/given_(the_quiet_forms|hostile_inputs|generated_lines|the_corpus_then_the_program)/))
    | (binary(machine) & test(given_lines_that_are_allowed))
    | (binary(pty_cards) | binary(killed))
    | (binary(pty_surface) & test(given_a_narrow_screen))
    | (binary(sandbox) & test(given_a_way_out))
    | (package(mayi) & binary(day))
    | (package(mayi-policy) & test(/given_a_subscript_behind_a_name|given_a_packer_that_is_installed|given_what_nobody_knows_where|given_what_a_shell_sets|given_arguments_of_a_line/))
    | (package(mayi-kept) & test(/given_any_line_of_the_corpus|a_suggestion_never_covers/))
    | (package(mayi-mcp) & test(given_a_client_that_does_not_read_then_only))
    | (binary(mcp) & test(given_a_server_with_100_000_tools))
    | (binary(responses) & test(/retry_joins_the_card|given_a_recording_that_breaks_off|abort_during_approval/))
    | (binary(run) & test(/given_an_agent_that_says_nothing|given_a_flood_of_messages|given_a_huge_(message|argument)|given_many_questions_that_wait/))
    | (binary(secrets) & test(given_every_known_form_in_every_place))
    | (binary(serve) & test(/given_any_answer_without_a_digest|given_ten_thousand_connections|given_a_program_that_chooses_its_folder/))
    | test(/made_to_be_slow_or_large|given_little_memory/)
    | (binary(acp) & test(/given_an_agent_that_goes_on_after_it_was_stopped|given_a_sub_agent_that_is_stopped|given_work_that_goes_on_after_a_stop/))
"""

# Run the quick tests: all but those with agents and servers of others, those of packages, and those that take long.
test: build
    #!/usr/bin/env bash
    set -uo pipefail
    status=0
    # Most of these wait for processes more than they reckon: two at a time for each processor.
    "{{ just_executable() }}" nextest test 'not ({{ apart }} | {{ replace(long, "\n", " ") }})' "$(({{ num_cpus() }} * 2))" || status=$?
    "{{ just_executable() }}" doctest || status=$?
    exit "$status"

# Run the tests that take ten seconds and more each, and need nothing of others.
test-long: build
    "{{ just_executable() }}" nextest test-long '{{ replace(long, "\n", " ") }}' "$(({{ num_cpus() }} * 2))"

# Run the tests with real agents, which are installed at first (about 2.6 GB, outside of the checkout).
test-agents: build
    agents=$(tests/agents/install); MAYI_TEST_AGENTS=$agents "{{ just_executable() }}" nextest test-agents 'binary(real_agents)'

# Run the tests with MCP servers and clients of others, and the conformance suite, which are installed at first (about 600 MB, outside of the checkout).
test-mcp: build
    ground=$(tests/mcp/install); MAYI_TEST_MCP=$ground "{{ just_executable() }}" nextest test-mcp 'binary(mcp_servers)'

# Run the tests with the official clients of the Responses API, which are installed at first (about 200 MB, outside of the checkout).
test-responses: build
    clients=$(tests/responses/install); MAYI_TEST_RESPONSES=$clients "{{ just_executable() }}" nextest test-responses 'binary(responses_clients)'

# Run the tests of the client libraries, each against a backend of its own, and of the example apps, in a real browser; and check types. What drives the browser is installed at first (about 10 MB, outside of the checkout).
test-clients: build extension-modules
    #!/usr/bin/env bash
    set -uo pipefail
    # Of the editor's folder, nothing but what drives a browser is needed.
    MAYI_EDITOR=$(tests/browser/install) || exit 1
    MAYI_BIN=${CARGO_TARGET_DIR:-$PWD/target}/debug/mayi
    export MAYI_EDITOR MAYI_BIN
    clients=acp-server/clients status=0
    node "$clients/typescript/card/build.mjs" || exit 1
    types=(editors/vscode/node_modules/.bin/tsc --noEmit --allowJs --checkJs --strict --skipLibCheck --target es2024)
    "${types[@]}" --module nodenext --types node --typeRoots editors/vscode/node_modules/@types "$clients"/typescript/{index,adapters,bridge}.js || status=1
    "${types[@]}" --module esnext --moduleResolution bundler --noUncheckedIndexedAccess --lib es2024,dom,dom.iterable --types '' \
        "$clients/typescript/card/index.js" || status=1
    "{{ just_executable() }}" node-tests clients-js "$clients/typescript" 'tests/*.test.mjs' || status=1
    "{{ just_executable() }}" node-tests clients-examples "$clients/examples" 'tests/*.test.mjs' || status=1
    log=target/ci/clients-python.log
    (cd "$clients/python" && PYTHONPATH=src PYTHONDONTWRITEBYTECODE=1 python3 -m unittest discover -s tests) 2>&1 | tee "$log" || status=1
    # "Ran 35 tests", then "OK" or "FAILED (failures=1, errors=2)".
    awk '/^Ran [0-9]+ tests?/ { ran = $2 } /^FAILED/ { while (match($0, /=[0-9]+/)) { bad += substr($0, RSTART + 1, RLENGTH - 1); $0 = substr($0, RSTART + RLENGTH) } }
        END { print ran - bad, bad + 0, 0; exit ran == 0 }' "$log" > target/ci/clients-python.count || status=1
    exit "$status"

# Run the tests with clients of the Agent Client Protocol by others, which are installed at first (about 90 MB, outside of the checkout; and the agents, 2.6 GB).
test-acp: build
    #!/usr/bin/env bash
    set -euo pipefail
    # Apart from `export`, which would go on where an installer fails.
    MAYI_TEST_AGENTS=$(tests/agents/install)
    MAYI_TEST_ACP=$(tests/acp/install)
    export MAYI_TEST_AGENTS MAYI_TEST_ACP
    "{{ just_executable() }}" nextest test-acp 'binary(acp_clients)'

# Package the program that all tests run, and install each package in an empty home without Rust: the archive, the Debian package, the wheel, the npm packages, and the extension in a real editor. Prints sizes and seconds of each.
test-dist: build extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    # Apart from `export`, which would go on where an installer fails.
    MAYI_EDITOR=$(tests/editor/install)
    MAYI_PACKAGES=${CARGO_TARGET_DIR:-$PWD/target}/packages/dev
    MAYI_PACKAGES_TABLE=$PWD/target/ci/packages.tsv
    export MAYI_EDITOR MAYI_PACKAGES MAYI_PACKAGES_TABLE
    python3 -B cli/dist/dist.py dev
    mkdir -p target/ci && : > "$MAYI_PACKAGES_TABLE"
    status=0
    # One at a time: they take turns on the disk, and seconds are counted.
    "{{ just_executable() }}" nextest test-dist 'binary(packages)' 1 || status=$?
    "{{ just_executable() }}" node-tests test-dist-editor editors/vscode/e2e 'packaged/*.test.mjs' || status=$?
    { printf 'package\tMB\tMB installed\tseconds to install\tfor the demo (extension: to the first card)\n'; cat "$MAYI_PACKAGES_TABLE"; } | column -t -s $'\t'
    exit "$status"

# Kill, crowd, break and soak mayi for MINUTES, and count what was lost: nothing may be. `MAYI_SEED` takes another seed than CI's.
torture minutes="2": build
    MAYI_TORTURE={{ minutes }} MAYI_SEED=${MAYI_SEED:-20261124} "{{ just_executable() }}" nextest torture 'binary(torture)' 1 --no-capture

# Lets the real agents work for a day in four languages, applies what the record suggests, and counts the questions of the next day.
day: build
    export MAYI_TEST_AGENTS; MAYI_TEST_AGENTS=$(tests/agents/install | tail -1) && MAYI_DAYS=all cargo nextest run -p mayi-tests --test real_agents day --no-capture

# Live a day of thirty prompts with the real Claude Code in a real VS Code, with a phone, a second window, and what is killed and loaded anew: no dead end. It takes some minutes, so `test-all` leaves it out.
day-editor: build extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    # Apart from `export`, which would go on where an installer fails.
    MAYI_EDITOR=$(tests/editor/install)
    MAYI_TEST_AGENTS=$(tests/agents/install)
    MAYI_BIN=${CARGO_TARGET_DIR:-$PWD/target}/debug/mayi
    export MAYI_EDITOR MAYI_TEST_AGENTS MAYI_BIN
    (cd editors/vscode && npm run --silent build)
    "{{ just_executable() }}" node-tests day-editor editors/vscode/e2e 'day/*.test.mjs'

# Run the tests of the page's own parts, and of nothing that needs a browser.
test-page:
    "{{ just_executable() }}" node-tests page acp-server/ui 'tests/*.test.js'

# Install what the extension is built with, where that is not there as package-lock.json has it.
[private]
extension-modules:
    #!/usr/bin/env bash
    set -euo pipefail
    cd editors/vscode
    # Npm writes this file when it has finished.
    there=node_modules/.package-lock.json
    [[ $there -nt package-lock.json && $there -nt package.json ]] || npm ci --no-audit --no-fund --loglevel=error

# Run the unit tests of the extension: types, client, state, what is drawn.
test-extension: extension-modules
    cd editors/vscode && npm run --silent check && node build.mjs --tests
    "{{ just_executable() }}" node-tests extension editors/vscode 'dist-test/*.test.*js'

# Run the tests with VS Code and the page in a real browser, which are installed at first (about 900 MB, outside of the checkout). Pictures go to target/screenshots.
test-editor: build extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    # Apart from `export`, which would go on where an installer fails.
    MAYI_EDITOR=$(tests/editor/install)
    MAYI_TEST_AGENTS=$(tests/agents/install)
    MAYI_BIN=${CARGO_TARGET_DIR:-$PWD/target}/debug/mayi
    export MAYI_EDITOR MAYI_TEST_AGENTS MAYI_BIN
    (cd editors/vscode && npm run --silent build)
    "{{ just_executable() }}" node-tests editor editors/vscode/e2e 'tests/*.test.mjs'

# Run all benchmarks. What they are compared with and a VS Code are installed at first (about 1.5 GB, outside of the checkout).
bench:
    cargo build --release -p mayi
    conductor=$(tests/acp/conductor); ground=$(tests/mcp/install); MAYI_CONDUCTOR=$conductor MAYI_TEST_MCP=$ground cargo bench -p mayi-tests --features yardstick --bench '*'
    "{{ just_executable() }}" bench-editor

# Measure from the agent to the webview of a real VS Code, and back. OPTIONS: --quick.
bench-editor *options: extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --release -p mayi
    # The agent that asks.
    cargo bench -p mayi-tests --bench serve --no-run
    MAYI_EDITOR=$(tests/editor/install)
    export MAYI_EDITOR MAYI_BIN=${CARGO_TARGET_DIR:-$PWD/target}/release/mayi
    (cd editors/vscode && npm run --silent build)
    node editors/vscode/e2e/bench/webview.mjs {{ options }}

# Measure a hundred cards at once in the editor's views and on the page: when the first is in sight, when all are drawn, and how long it takes to list sixty that are alike. ROUNDS of each.
bench-cards rounds="9": extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    MAYI_EDITOR=$(tests/editor/install)
    export MAYI_EDITOR
    (cd editors/vscode && npm run --silent build)
    node editors/vscode/e2e/bench/cards.mjs {{ rounds }}

# Run all benchmarks but the editor's with few samples, in three minutes at the very most without building: is anything off by far? (VS Code alone takes up to a minute to start and end: `just bench-editor --quick`.)
bench-quick:
    cargo build --release -p mayi
    cargo bench -p mayi-tests --bench '*' --no-run
    # Not that of the editors' backend: it was not measured whether all fit into three minutes together.
    timeout 180 cargo bench -p mayi-tests --bench decide --bench overhead --bench record --bench gateway --bench responses --bench acp -- --quick --noplot

# Tell 1,000 inputs that are made to be slow or large to each door, or to those with DOOR in their names: does each stay within 100 ms and 50 MB? Some minutes for each door, with nothing else running.
bounds door="":
    cargo build --release -p mayi
    cargo bench -p mayi-tests --bench bounds -- {{ door }}

# Run everything in the benchmarks once, as the tests are built, and measure nothing: do they run?
bench-smoke: build
    cargo test --workspace --bench '*' --no-run
    timeout 180 cargo test --workspace --bench '*' -- --test

# Print the lines of each crate and the share of its functions whose name is one word: no tests, nothing that a trait of others asks for.
names:
    #!/usr/bin/env bash
    set -euo pipefail
    printf '%-26s %7s %10s %9s\n' crate lines functions one-word
    for manifest in core/Cargo.toml core/*/Cargo.toml core/doors/*/Cargo.toml acp-server/Cargo.toml cli/Cargo.toml cli/demo/Cargo.toml; do
        find "${manifest%Cargo.toml}src" -name '*.rs' -not -path '*/tests/*' -not -name 'tests.rs' -print0 | xargs -0 awk -v crate="${manifest%/Cargo.toml}" '
            FNR == 1 { tests = 0; foreign = 0 }
            /^#\[cfg\(test\)\]/ { tests = 1 }
            tests { next }
            { lines += 1 }
            /^impl.* for / { foreign = 1 }
            /^}/ { foreign = 0 }
            !foreign && match($0, /^ *(pub(\([a-z]+\))? )?(const )?(async )?fn [a-z0-9_]+/) {
                name = substr($0, RSTART, RLENGTH); sub(/.*fn /, "", name)
                functions += 1; if (name !~ /_/) short += 1
            }
            END { printf "%-26s %7d %10d %8d%%\n", crate, lines, functions, functions ? 100 * short / functions : 0 }'
    done | awk '{ print; lines += $2; functions += $3; short += $3 * $4 / 100 } END { printf "%-26s %7d %10d %8d%%\n", "all", lines, functions, 100 * short / functions }'

# Print the steps and files that three messages go through, as a debugger sees them (gdb, which has to be installed; Linux on x86-64): a `session/request_permission` that a rule allows, one that is asked and answered, a `tools/call`. What counts as a step: docs/architecture/steps.md.
steps:
    # With any one test, for the features that all tests are built with: nothing is compiled for this alone.
    cargo build --workspace --bin mayi --bin mini_mcp --test pty
    tests/steps/steps.py "${CARGO_TARGET_DIR:-target}/debug"

# Print what the projects that mayi was made after asked for, with what shows each wish, run against the built program; some of it in VS Code, which is installed at first (about 900 MB, outside of the checkout). With `quick` tests that other recipes run are only looked up, and nothing is installed.
seeds mode="": build extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    (cd editors/vscode && node build.mjs --tests)
    program=${CARGO_TARGET_DIR:-$PWD/target}/debug/mayi
    [[ "{{ mode }}" != quick ]] || exec python3 -B tests/seeds/table.py --quick "$program"
    MAYI_EDITOR=$(tests/editor/install)
    export MAYI_EDITOR
    (cd editors/vscode && npm run --silent build)
    python3 -B tests/seeds/table.py "$program"

# The same, where all those other recipes are run too.
[private]
seeds-quick: (seeds "quick")

# Hold that the examples of README.md and docs can be done as they stand there, by the built program, and that the pages that are made are up to date.
book: build
    tests/docs/examples.py "${CARGO_TARGET_DIR:-target}/debug/mayi"
    tests/docs/reference.py "${CARGO_TARGET_DIR:-target}/debug/mayi"

# Write docs/commands.md and docs/configuration.md anew, from `--help` and from the schema.
reference: build
    tests/docs/reference.py "${CARGO_TARGET_DIR:-target}/debug/mayi" --write

# Print mayi beside other gates for coding agents: what each lets run, what it holds up, and how long it takes. They are built and installed at first (ten minutes and more, outside of the checkout). OPTIONS: `--list FILE` for each answer.
peers *options:
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --release -p mayi
    # With any one test, for the features that all tests are built with.
    cargo build --workspace --bin peers --test pty
    gates=$(tests/peers/install)
    target=${CARGO_TARGET_DIR:-$PWD/target}
    # More rows of the same forms, where there are some.
    corpora=${MAYI_CORPORA:-../shared/corpora} more=()
    [[ ! -d $corpora ]] || more=(--corpora "$corpora")
    "$target/debug/peers" --mayi "$target/release/mayi" --gates "$gates" --ground "$target/peers" "${more[@]}" {{ options }}

# Print how many everyday commands are asked about under the everyday template, as they are and where the kernel holds them.
quiet: build
    #!/usr/bin/env bash
    set -euo pipefail
    # More rows of the same form, where there are some.
    corpora=${MAYI_CORPORA:-../shared/corpora} more=
    for file in "$corpora"/everyday*-open.jsonl; do [[ ! -e $file ]] || more+=:$(realpath "$file"); done
    MAYI_EVERYDAY=${more#:} cargo nextest run -p mayi-tests --test decisions --no-capture -E 'test(given_everyday_commands)'

# Print what people's tools do confined, beside the same bare and with another sandbox (installed at first; eight minutes and more). IDS: only those rows.
tools *ids: build
    MAYI_BIN="${CARGO_TARGET_DIR:-target}/debug/mayi" tests/tools/run {{ ids }}

# Look for a way around a decision on LINES new lines: mayi's list of commands beside real bash, and what is allowed run in bash, dash and zsh. A seed of its own each time; `MAYI_SEED` repeats one.
differential lines="20000":
    #!/usr/bin/env bash
    set -euo pipefail
    export MAYI_LINES={{ lines }} MAYI_SEED=${MAYI_SEED:-$(date +%s)000}
    cargo nextest run --profile long -p mayi-tests --test decisions -E 'test(given_generated_lines)' --no-capture
    cargo nextest run --profile long -p mayi-tests --test machine -E 'test(given_lines_that_are_allowed)' --no-capture

# Take the mendings of tests/holes out, one by one, and hold that the machine finds each hole again within LINES lines. NAMES: only those, as in 'u*'.
holes lines="50000" names="*":
    #!/usr/bin/env bash
    set -uo pipefail
    # In a tree of its own, and built where nothing else is, whatever the environment says: Cargo tells crates of two trees
    # apart by times alone, and would take what has a hole for what is as it was.
    tree=target/holes/tree
    export CARGO_TARGET_DIR=$PWD/target/holes/build MAYI_LINES={{ lines }}
    git worktree prune
    [[ -e $tree/.git ]] || git worktree add --quiet --detach "$tree" HEAD
    git -C "$tree" reset --quiet --hard HEAD && git -C "$tree" checkout --quiet --detach "$(git rev-parse HEAD)"
    failed=()
    for patch in "$PWD"/tests/holes/{{ names }}.patch; do
        name=$(basename "$patch" .patch)
        git -C "$tree" reset --quiet --hard HEAD
        # Without a patch the hole is open: it is there as it is.
        if grep -q '^diff --git ' "$patch" && ! git -C "$tree" apply "$patch"; then
            echo "$name: the patch does not apply any more"
            failed+=("$name")
            continue
        fi
        log=target/holes/$name.log
        if (cd "$tree" && MAYI_HOLE=$name cargo nextest run --profile long -p mayi-tests --test machine \
            -E 'test(given_lines_that_are_allowed)' --no-capture) > "$log" 2>&1; then
            grep -E "^$name[ :(]" "$log"
        else
            echo "$name: not found, see $log"
            failed+=("$name")
        fi
    done
    ((${#failed[@]} == 0))

# Look for what breaks a property, on inputs from a new seed, which is told: `PROPTEST_RNG_SEED` repeats one. What is found goes to files in proptest-regressions, to be kept.
properties:
    #!/usr/bin/env bash
    set -euo pipefail
    export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$(date +%s)}
    echo "PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED"
    cargo nextest run --workspace -E 'package(/^mayi-(call|policy|kept|config|check)$/)'

# The fuzz targets.
targets := "shell pattern config path"

# Look for an input that breaks TARGET (shell, pattern, config or path), for so many seconds. `tests/run fuzz TARGET` installs what it needs at first.
fuzz target seconds="60":
    #!/usr/bin/env bash
    set -euo pipefail
    cargo fuzz --version > /dev/null 2>&1 || {
        echo "there is no cargo-fuzz: run tests/run fuzz {{ target }} {{ seconds }}, which installs it at first" >&2
        exit 1
    }
    # Found inputs and crashes go to target/fuzz. A crash is kept as a seed once it is understood.
    mkdir -p target/fuzz/found/{{ target }} target/fuzz/crashes/{{ target }}
    # Without sanitizers, stable Rust is enough; the core has no unsafe code that they would look at.
    cargo fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz --sanitizer none --codegen-units 16 {{ target }} \
        target/fuzz/found/{{ target }} tests/fuzz/seeds/{{ target }} -- \
        -max_total_time={{ seconds }} -timeout=10 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$PWD/target/fuzz/crashes/{{ target }}/"

# Run every fuzz target for ten minutes.
fuzz-long: (fuzz-each "600")

# Run every fuzz target for 20 seconds. (CI has `just test` run what they do on their seeds, and on inputs like these.)
fuzz-quick: (fuzz-each "20")

# Run every fuzz target, and count those without a finding.
[private]
fuzz-each seconds:
    #!/usr/bin/env bash
    set -uo pipefail
    mkdir -p target/ci
    passed=0 failed=0
    for target in {{ targets }}; do
        if "{{ just_executable() }}" fuzz "$target" {{ seconds }} 2> "target/ci/fuzz-$target.log"; then
            passed=$((passed + 1))
            awk '/^(Done |stat::number_of_executed_units)/ { print target ": " $0 }' target="$target" "target/ci/fuzz-$target.log"
        else
            failed=$((failed + 1))
            tail -60 "target/ci/fuzz-$target.log" >&2
        fi
    done
    echo "$passed $failed 0" > target/ci/fuzz.count
    exit "$((failed > 0))"

# Run all of it, as CI does. A failed step does not keep the later ones from telling what they know.
test-all:
    #!/usr/bin/env bash
    set -uo pipefail
    # What was counted and how long it took goes here, for .ci/run.
    rm -rf target/ci && mkdir -p target/ci
    run_steps() {
        local step begin outcome status=0
        for step in "$@"; do
            begin=$SECONDS outcome=ok
            "{{ just_executable() }}" "$step" || { outcome=failed; status=1; }
            echo "$step $((SECONDS - begin)) $outcome ${beside:-}" >> target/ci/times
        done
        return "$status"
    }
    # Each in a group of its own, so that an interrupted run takes them along.
    set -m
    trap 'for group in $(jobs -p); do kill -- "-$group" 2> /dev/null; done' EXIT
    # What later steps install comes over the network, while the compiler has the processors. Each step says for itself
    # what it lacks.
    for ground in agents editor mcp responses acp; do "tests/$ground/install" || true; done > target/ci/install.log 2>&1 &
    installs=$!
    run_steps lint test test-long test-page test-extension test-clients book seeds-quick
    wait "$installs"
    # From here on nearly all of the time is waiting: for windows in the one, for agents and servers in the other. What the
    # first of them prints follows when both have ended.
    beside=beside run_steps test-editor > target/ci/test-editor.log 2>&1 &
    editor=$!
    run_steps test-agents test-mcp test-responses test-acp
    wait "$editor"
    cat target/ci/test-editor.log
    # These count seconds, or bring the machine to its limits.
    run_steps test-dist torture bench-smoke
    failed=$(awk '$3 == "failed" { printf " %s", $1 }' target/ci/times)
    if [[ -n $failed ]]; then
        echo "failed:$failed" >&2
        exit 1
    fi

# Run the nextest tests of a filter, and count them: passed, failed, skipped, into target/ci/NAME.count.
[private]
nextest name filter threads=num_cpus() *options:
    #!/usr/bin/env bash
    set -uo pipefail
    junit=${CARGO_TARGET_DIR:-target}/nextest/ci/junit.xml
    # Where tests say that they can't run here (`mayi_tests::skipped`). For nextest they have passed.
    export MAYI_SKIPPED=$PWD/target/ci/{{ name }}.skipped
    # What gates a change does not depend on chance: `just properties` is for new inputs.
    export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-20261124}
    mkdir -p target/ci && rm -f "$junit" "target/ci/{{ name }}.count" "$MAYI_SKIPPED"
    status=0
    cargo nextest run --workspace --profile ci --test-threads {{ threads }} -E '{{ filter }}' {{ options }} || status=$?
    # No report means that nothing ran: a build that failed, or no tests.
    [[ -e $junit ]] || exit "$((status == 0 ? 1 : status))"
    total() { sed -n "s/.*<testsuites .*\b$1=\"\([0-9]*\)\".*/\1/p" "$junit"; }
    failed=$(($(total failures) + $(total errors)))
    # Nextest's own "skipped" has what the filter left out too, which another recipe runs. Skipped are the ignored ones.
    skipped=$(cargo nextest list --workspace -E '{{ filter }}' --run-ignored only -T oneline 2>/dev/null | wc -l)
    left_out=0
    if [[ -e $MAYI_SKIPPED ]]; then
        left_out=$(wc -l < "$MAYI_SKIPPED")
        sed 's/^/skipped: /' "$MAYI_SKIPPED"
    fi
    echo "$(($(total tests) - failed - left_out)) $failed $((skipped + left_out))" > "target/ci/{{ name }}.count"
    exit "$status"

# Run the tests of Node.js in a folder, one file after the other, and count them as above.
[private]
node-tests name folder files:
    #!/usr/bin/env bash
    set -uo pipefail
    mkdir -p target/ci && rm -f "target/ci/{{ name }}.count"
    log=$PWD/target/ci/{{ name }}.tap
    (cd "{{ folder }}" && node --test --test-concurrency=1 --test-reporter=tap {{ files }}) | tee "$log"
    status=${PIPESTATUS[0]}
    awk '/^# pass / { p = $3 } /^# (fail|cancelled) / { f += $3 } /^# skipped / { s = $3 } END { print p + 0, f + 0, s + 0 }' \
        "$log" > "target/ci/{{ name }}.count"
    exit "$status"

# Run the examples in the documentation, and count them as above.
[private]
doctest:
    #!/usr/bin/env bash
    set -uo pipefail
    mkdir -p target/ci && rm -f target/ci/doctest.count
    cargo test --doc --workspace --no-fail-fast 2>&1 | tee target/ci/doctest.log
    status=${PIPESTATUS[0]}
    # "test result: ok. 3 passed; 0 failed; 1 ignored; ...", once or more for every crate.
    awk '/^test result:/ { passed += $4; failed += $6; skipped += $8 } END { print passed + 0, failed + 0, skipped + 0 }' \
        target/ci/doctest.log > target/ci/doctest.count
    exit "$status"

# Writes the JSON schema of configuration files anew; a test holds it to the code.
schema:
    # The features that all tests are built with: nothing is compiled for this alone.
    cargo build --workspace --bin mayi --test pty
    "${CARGO_TARGET_DIR:-target}/debug/mayi" config schema > core/config/mayi.schema.json.new
    mv core/config/mayi.schema.json.new core/config/mayi.schema.json

# Make every package for one platform, with PROFILE of cargo's (`dev`: of the program that the tests have built) and TARGET as Rust calls it (without one: this machine): target/packages/PROFILE. What each is: docs/install.md.
dist profile="dist" target="":
    {{ if profile == "dev" { quote(just_executable()) + " build" } else { "true" } }}
    cd editors/vscode && npm ci --no-audit --no-fund --loglevel=error
    python3 -B cli/dist/dist.py {{ profile }} {{ target }}

# Build the extension for VS Code, with the backend in it: editors/vscode/mayi-vscode.vsix.
vsix:
    cargo build --release -p mayi
    mkdir -p editors/vscode/bin && cp "${CARGO_TARGET_DIR:-target}/release/mayi" editors/vscode/bin/mayi
    cd editors/vscode && npm ci --no-audit --no-fund --loglevel=error && npm run package

# Take the pictures of the extension's README from the last run of test-editor.
pictures:
    mkdir -p editors/vscode/images
    for picture in card-pending plan-mode; do cp "target/screenshots/$picture.png" editors/vscode/images/; done

# Lay out every kind of card in every width and theme, and make sheets of the pictures: target/screenshots/sheet-light.png and sheet-dark.png; some of them are those of docs/cards.md.
cards: build extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    MAYI_EDITOR=$(tests/editor/install)
    export MAYI_EDITOR MAYI_BIN=${CARGO_TARGET_DIR:-$PWD/target}/debug/mayi
    (cd editors/vscode && npm run --silent build)
    (cd editors/vscode/e2e && MAYI_PICTURES=1 node --test tests/layout.test.mjs)
    node editors/vscode/e2e/sheets.mjs
    mkdir -p docs/pictures
    for picture in loop-400-light option-400-light edit-400-light arguments-400-dark command-phone-light; do cp "target/screenshots/cards/$picture.png" docs/pictures/; done

# Put every kind of card into terminals of 80×24, 60×20 and 200×50 and keep the screens as text, with carets below what is underlined: target/screenshots/terminal.
cards-terminal: build
    cargo nextest run -p mayi -E 'binary(pty_cards) & test(given_any_kind_of_card)'
    @ls target/screenshots/terminal/*.txt | wc -l

# Take the colours of the editor's themes anew, for the tests of layouts.
themes: build extension-modules
    #!/usr/bin/env bash
    set -euo pipefail
    MAYI_EDITOR=$(tests/editor/install)
    export MAYI_EDITOR MAYI_BIN=${CARGO_TARGET_DIR:-$PWD/target}/debug/mayi
    (cd editors/vscode && npm run --silent build && node e2e/themes.mjs)

# Write the TypeScript types of the backend's API anew; a test holds them to the code.
types:
    MAYI_WRITE_TYPES=1 cargo nextest run --workspace -E 'test(given_the_types_then)'

# Write the lists of THREATS.md anew from docs/threats; a test holds them to it.
threats:
    MAYI_WRITE_THREATS=1 cargo nextest run --workspace -E 'test(given_the_attacks_then_the_page)'
