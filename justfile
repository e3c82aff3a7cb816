# What people and CI run: `just` lists it. `tests/run` is for a machine where nothing is installed yet.

set shell := ["bash", "-euo", "pipefail", "-c"]

# List the recipes.
default:
    @just --list --unsorted

# Build everything, also the programs that tests start.
build:
    cargo build --workspace

# Format all code.
fmt:
    cargo fmt --all

# Check what no reviewer should have to say: format, lints, documentation.
lint: doc
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Build the documentation, where a broken link is an error.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Run the quick tests: all but those with real agents.
test: build
    #!/usr/bin/env bash
    set -uo pipefail
    status=0
    "{{ just_executable() }}" nextest test 'not binary(real_agents)' || status=$?
    "{{ just_executable() }}" doctest || status=$?
    exit "$status"

# Run the tests with real agents, which are installed at first (about 600 MB, outside of the checkout).
test-agents: build
    agents=$(tests/agents/install); MAYI_TEST_AGENTS=$agents "{{ just_executable() }}" nextest test-agents 'binary(real_agents)'

# Run all benchmarks.
bench:
    cargo build --release -p mayi
    cargo bench -p mayi-tests --bench '*'

# Run all benchmarks with few samples, in three minutes at most without building: do they run, is anything off by far?
bench-quick:
    cargo bench -p mayi-tests --bench '*' --no-run
    timeout 180 cargo bench -p mayi-tests --bench '*' -- --quick --noplot

# Run all of it, as CI does. A failed step does not keep the later ones from telling what they know.
test-all:
    #!/usr/bin/env bash
    set -uo pipefail
    # What was counted and how long it took goes here, for .ci/run.
    rm -rf target/ci && mkdir -p target/ci
    failed=()
    for step in lint test test-agents bench-quick; do
        begin=$SECONDS outcome=ok
        "{{ just_executable() }}" "$step" || { outcome=failed; failed+=("$step"); }
        echo "$step $((SECONDS - begin)) $outcome" >> target/ci/times
    done
    if ((${#failed[@]})); then
        echo "failed: ${failed[*]}" >&2
        exit 1
    fi

# Run the nextest tests of a filter, and count them: passed, failed, skipped, into target/ci/NAME.count.
[private]
nextest name filter:
    #!/usr/bin/env bash
    set -uo pipefail
    junit=${CARGO_TARGET_DIR:-target}/nextest/ci/junit.xml
    mkdir -p target/ci && rm -f "$junit" "target/ci/{{ name }}.count"
    status=0
    cargo nextest run --workspace --profile ci -E '{{ filter }}' || status=$?
    # No report means that nothing ran: a build that failed, or no tests.
    [[ -e $junit ]] || exit "$((status == 0 ? 1 : status))"
    total() { sed -n "s/.*<testsuites .*\b$1=\"\([0-9]*\)\".*/\1/p" "$junit"; }
    failed=$(($(total failures) + $(total errors)))
    # Nextest's own "skipped" has what the filter left out too, which another recipe runs. Skipped are the ignored ones.
    skipped=$(cargo nextest list --workspace -E '{{ filter }}' --run-ignored only -T oneline 2>/dev/null | wc -l)
    echo "$(($(total tests) - failed)) $failed $skipped" > "target/ci/{{ name }}.count"
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
    cargo run --quiet -p mayi -- config schema > schema/mayi.schema.json.new
    mv schema/mayi.schema.json.new schema/mayi.schema.json
