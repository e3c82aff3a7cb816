//! "`mayi init --template` (everyday first: what people run all day in the languages found in the folder;
//! careful, trusting, read-only, ci)."

use std::path::Path;

use super::{Project, Template, all_languages, detect_languages};
use crate::{Folders, Layer, LoadedConfig, Sources, load, read};
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Effect, Pattern};

fn loaded(text: &str) -> LoadedConfig {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let user = top.join("config.toml");
    std::fs::write(&user, text).unwrap();
    let folders = Folders { home: Some(top.join("home")), ..Folders::default() };
    let sources = Sources { user: Some(user), cwd: top, folders, ..Sources::default() };
    load(&sources).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.all().iter().map(|error| error.one_line()).collect();
        panic!("{}", lines.join("\n"))
    })
}

#[test]
fn given_every_template_then_it_loads_without_a_notice_and_has_examples_and_comments() {
    for template in Template::ALL {
        for found in [all_languages(), Vec::new()] {
            let text = template.render(&found, &Project::default(), None, Some("./mayi.schema.json"));
            let loaded = loaded(&text);
            assert_eq!(loaded.policy.notices, Vec::<String>::new(), "{}", template.name());
            assert!(text.contains("\nmatch = ") && text.contains("\nnot_match = "), "{}", template.name());
            assert!(text.starts_with("#:schema ./mayi.schema.json\n# mayi, for "), "{}", template.name());
            assert!(!text.contains("#: "), "{}", template.name());
        }
    }
}

/// A list without a word on what it is for helps nobody.
#[test]
fn given_the_languages_then_each_has_files_a_comment_and_patterns_of_its_own() {
    let all = all_languages();
    assert!(all.len() > 15);
    let places = PatternBases::default();
    let mut seen = std::collections::BTreeSet::new();
    for language in &all {
        assert!(!language.files.is_empty() && !language.title.is_empty(), "{language:?}");
        assert!(language.lines[0].trim().starts_with("# "), "{language:?}");
        for line in language.lines.iter().map(|line| line.trim()).filter(|line| !line.starts_with('#')) {
            let text = line
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix("\","))
                .unwrap_or_else(|| panic!("{line}"));
            Pattern::parse(text, &places).unwrap();
            assert!(seen.insert(text.to_owned()), "{text} is there twice");
        }
    }
    // The data file is a configuration by itself.
    let text = include_str!("data/languages.toml");
    assert!(read::read(Layer::User, Path::new("languages.toml"), text, &places).is_ok());
}

#[test]
fn given_a_project_then_its_languages_are_found_with_what_shows_them() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path();
    let put = |name: &str| {
        let path = top.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    };
    put("repo/Cargo.toml");
    put("repo/web/package.json");
    put("repo/web/pnpm-lock.yaml");
    put("repo/tool/App.csproj");
    put("repo/node_modules/x/go.mod");
    put("repo/.hidden/go.mod");
    put("pom.xml");
    std::fs::create_dir(top.join("repo/.git")).unwrap();
    let ids = |folder: &str| -> Vec<&str> {
        detect_languages(&top.join(folder)).iter().map(|(language, _)| language.id).collect()
    };
    assert_eq!(ids("repo"), ["rust", "node", "npm", "pnpm", "dotnet"]);
    // Also from below: the repository is one project.
    assert_eq!(ids("repo/web"), ["rust", "node", "npm", "pnpm"]);
    assert_eq!(ids("repo/tool"), ["rust", "dotnet"]);
    assert!(ids("missing").is_empty());
}

/// Everyday rules stay in the project: nothing is pushed, published, installed anew or run as another user
/// by them.
#[test]
fn given_every_language_then_no_rule_allows_what_leaves_the_project() {
    let text = Template::Everyday.render(&all_languages(), &Project::default(), None, None);
    let policy = loaded(&text).policy;
    let at = mayi_call::shell::Surroundings::new(Path::new("/w"), &[]);
    for line in [
        "git push",
        "git push --force",
        "git reset --hard",
        "git clean -fd",
        "git checkout .",
        "git rebase -i main",
        "git config core.pager x",
        "git remote add x y",
        "cargo install x",
        "cargo publish",
        "cargo add serde",
        "npm install left-pad",
        "npm publish",
        "npm run deploy",
        "npm exec x",
        "npx cowsay",
        "pnpm add x",
        "yarn add x",
        "bun add x",
        "bunx cowsay",
        "pip install x",
        "python -c 'x'",
        "python x.py",
        "uv add x",
        "uv run x.py",
        "poetry add x",
        "go install x@latest",
        "go get x",
        "go run example.com/x@latest",
        "mvn deploy",
        "mvn install",
        "./gradlew publish",
        "bundle install",
        "gem push x",
        "make install",
        "make deploy",
        "just deploy",
        "cmake -P x.cmake",
        "docker run x",
        "docker push x",
        "docker build -t postgres:16 .",
        "docker build --ssh default .",
        "docker build -t a:dev --network=host .",
        "docker build https://example.com/x.git",
        "docker build ..",
        "docker compose build",
        "python3 manage.py migrate",
        "python3 manage.py shell",
        "python3 manage.py test --pythonpath=x",
        "python3 manage.py check --settings x",
        "source x.sh",
        "git rebase --exec x main",
        "git rebase main other",
        "terraform apply",
        "gh pr merge 1",
        "gh api x",
        "rm x",
        "rm -rf .",
        "sudo make",
        "curl https://example.com",
        "node -e x",
        "node x.js",
        "sh x.sh",
        "./x.sh",
        "kill 1",
        "chmod 777 x",
        "dotnet nuget push x",
        "composer require x",
        "deno run x.ts",
    ] {
        // All of a line has to be allowed: `sudo make` is two commands.
        let roots = [std::path::PathBuf::from("/w")];
        let allowed = mayi_call::shell::line_accesses(line, &at).iter().all(|access| {
            policy.rules.iter().any(|rule| rule.effect == Effect::Allow && rule.matches(access, &roots))
        });
        assert!(!allowed, "{line}");
    }
}

#[test]
fn given_every_language_then_its_daily_commands_are_allowed() {
    let policy = loaded(&Template::Everyday.render(&all_languages(), &Project::default(), None, None)).policy;
    let at = mayi_call::shell::Surroundings::new(Path::new("/w"), &[]);
    for line in [
        "git add -A",
        "git commit -m wip",
        "git switch -c feature",
        "git checkout -b feature",
        "git stash",
        "git fetch origin main",
        "git restore --staged a.rs",
        "git rebase main",
        "cargo test -p x",
        "cargo +nightly fmt --all",
        "cargo clippy --all-targets -- -D warnings",
        "npm test",
        "npm run lint",
        "npm run test:unit -- --coverage",
        "npx tsc --noEmit",
        "pnpm test",
        "pnpm run build",
        "yarn lint",
        "bun test",
        "pytest -q tests/test_a.py",
        "python -m pytest",
        "ruff check .",
        "ruff format .",
        "mypy src",
        "source .venv/bin/activate",
        "python3 manage.py check --deploy",
        "python manage.py test app.tests --keepdb",
        "uv run pytest -x",
        "poetry run pytest",
        "go test ./...",
        "go vet ./...",
        "go build ./cmd/x",
        "go run ./cmd/x",
        "mvn -q test",
        "./gradlew test",
        "bundle exec rspec spec/a_spec.rb",
        "make",
        "make test",
        "make -j8",
        "just test",
        "cmake --build build",
        "ctest --test-dir build",
        "docker ps -a",
        "docker build -t app:dev .",
        "gh pr view 12",
        "mkdir -p src/new",
        "touch a",
        "terraform fmt",
        "dotnet test",
        "vendor/bin/phpunit",
    ] {
        for access in mayi_call::shell::line_accesses(line, &at) {
            let mayi_call::Access::Shell(_) = &access else { continue };
            let roots = [std::path::PathBuf::from("/w")];
            let allowed =
                policy.rules.iter().any(|rule| rule.effect == Effect::Allow && rule.matches(&access, &roots));
            assert!(allowed, "{line}");
        }
    }
}

fn call(accesses: Vec<mayi_call::Access>) -> mayi_call::Call {
    mayi_call::Call {
        roots: vec!["/w".into()],
        kind: "shell".into(),
        accesses,
        ..mayi_call::Call::new(
            mayi_call::Door::Check,
            mayi_call::AgentId::from_name("a"),
            mayi_call::SessionId("s".into()),
            "/w".into(),
        )
    }
}

/// What the comments of the rules promise. Attack 109.
#[test]
fn given_a_rule_for_a_target_or_a_tool_then_it_allows_no_other_and_nothing_elsewhere() {
    let text = Template::Everyday.render(&all_languages(), &Project::default(), None, None);
    let policy = loaded(&text).policy;
    let roots = [std::path::PathBuf::from("/w")];
    let at = mayi_call::shell::Surroundings::new(Path::new("/w"), &roots);
    let grants = mayi_policy::grant::Grants::default();
    let effect = |line: &str| {
        let standing = mayi_policy::SessionStanding {
            mode: mayi_policy::Mode::Default,
            bypass: false,
            grants: &grants,
            servers: &[],
        };
        mayi_policy::decide(&policy, &call(mayi_call::shell::line_accesses(line, &at)), &standing).effect
    };
    for line in [
        "git restore --staged --work .",
        "git switch --disc main",
        "make test install",
        "make test deploy",
        "mvn test deploy",
        "mvn test exec:exec",
        "./gradlew test publish",
        "just test deploy",
        "rake test release",
        "ninja -C build install",
        "cmake --build build --target install",
        "go run ./../../evil",
        "cargo +/tmp/evil test",
        "coverage run -m os",
        "node --test --test-reporter 'data:text/javascript,x'",
        "rustfmt ../x.rs",
        "npx eslint --fix ../x",
        "npx eslint -o ../x .",
        "npx prettier --write ../x",
        "npx tsc --outDir ../x",
        "biome format --write ../x",
        "deno fmt ../x",
        "go fmt ../...",
        "coverage html -d ../x",
        "go tool cover -o ../x",
        "python -m pytest --junitxml=../x",
        "python -m pytest -p evil",
        "npx mocha -r /tmp/evil.js",
        "docker build -t --ssh=default:dev .",
        "docker build -t a:dev -f /tmp/x .",
        "cd /tmp/evil && docker build .",
        "cd /tmp/evil && python manage.py check",
        "source /tmp/evil/bin/activate",
        "git -C /tmp/evil rebase main",
    ] {
        assert_ne!(effect(line), Effect::Allow, "{line}");
    }
    for line in [
        "make test",
        "make -j4",
        "mvn test -q",
        "./gradlew test --tests X",
        "just test",
        "ninja -C build",
        "cmake --build build -j 4",
        "go run ./cmd/x",
        "cargo +nightly test",
        "npx eslint src",
        "npx tsc --noEmit",
        "npx prettier --check .",
        "python -m pytest -q tests",
        "coverage run -m pytest",
    ] {
        assert_eq!(effect(line), Effect::Allow, "{line}");
    }
}
