//! A denial of a command, and other names that its program has for it.

use super::*;

/// Lines that a denial is not hit by, or is.
fn wrong(rule: &str, lines: &[&str], expected: Effect) -> Vec<String> {
    let policy = policy(&[(Allow, "shell(*)"), (Deny, rule)]);
    let judged = lines.iter().filter(|line| (effect(&policy, &shell(line)) == Deny) != (expected == Deny));
    judged.map(|line| format!("{rule}: {line}")).collect()
}

/// D2.22: names of sub-commands that a program takes for the same, those of several parts among them.
/// Attack 630.
#[test]
fn given_another_name_of_a_denied_sub_command_then_it_is_denied() {
    let mut all = Vec::new();
    for (rule, lines) in [
        (
            "shell(docker run *)",
            &["docker container run x", "docker -H tcp://x container run x", "docker --context a run x"][..],
        ),
        ("shell(docker container run *)", &["docker run x", "docker -D run -it x"]),
        (
            "shell(docker rm *)",
            &["docker container rm x", "docker container remove -f x", "docker container --x rm x"],
        ),
        ("shell(docker container remove *)", &["docker rm x", "docker container rm x"]),
        ("shell(docker exec *)", &["docker container exec a sh"]),
        ("shell(docker cp *)", &["docker container cp a:/x ."]),
        ("shell(docker kill *)", &["docker container kill a"]),
        ("shell(docker rmi *)", &["docker image rm a", "docker image remove a"]),
        ("shell(docker image rm *)", &["docker rmi a"]),
        ("shell(docker push *)", &["docker image push a"]),
        ("shell(docker images *)", &["docker image ls -a", "docker image list -a"]),
        (
            "shell(docker build *)",
            &["docker builder build .", "docker image build .", "docker buildx build .", "docker buildx b ."],
        ),
        ("shell(docker buildx build *)", &["docker build ."]),
        ("shell(docker volume rm *)", &["docker volume remove a"]),
        ("shell(podman rm *)", &["podman container rm a"]),
        ("shell(git add *)", &["git stage .", "git -C a stage ."]),
        ("shell(git stage *)", &["git add ."]),
        (
            "shell(tmux kill-session *)",
            &["tmux kill-ses -t a", "tmux kill-sess -t a", "tmux -L x kill-ses -t a"],
        ),
        ("shell(tmux send-keys *)", &["tmux send -t a x", "tmux send-k -t a x"]),
        ("shell(tmux kill-server)", &["tmux kill-ser", "tmux start \\; kill-serv"]),
        ("shell(tmux send *)", &["tmux send-keys -t a x"]),
        (
            "shell(rustup update *)",
            &["rustup up stable", "rustup +nightly upgrade stable", "rustup +nightly update"],
        ),
        ("shell(rustup toolchain install *)", &["rustup install x", "rustup toolchain add x"]),
        (
            "shell(helm uninstall *)",
            &["helm delete x", "helm del x", "helm un x", "helm --debug un x", "helm --what un x"],
        ),
        ("shell(helm delete *)", &["helm uninstall x"]),
        ("shell(brew uninstall *)", &["brew rm x", "brew remove x", "brew -v rm x"]),
        ("shell(svn commit *)", &["svn ci -m x"]),
        ("shell(svn ci *)", &["svn commit -m x"]),
        ("shell(hg commit *)", &["hg ci -m x", "hg com -m x", "hg -R a ci -m x"]),
        ("shell(gem install *)", &["gem i x", "gem inst x"]),
        ("shell(bundle install *)", &["bundle i --local"]),
        ("shell(pnpm remove *)", &["pnpm rm x", "pnpm un x", "pnpm -r uninstall x", "pnpm recursive rm x"]),
        ("shell(pnpm install *)", &["pnpm i x"]),
        ("shell(conda remove *)", &["conda uninstall x"]),
        ("shell(cargo build *)", &["cargo b --release"]),
        ("shell(npm uninstall *)", &["npm rm x", "npm uninst x"]),
        ("shell(yarn remove *)", &["yarn workspace a remove x", "yarn workspaces foreach -A remove x"]),
    ] {
        all.extend(wrong(rule, lines, Deny));
    }
    // Harmless ones stay as they are.
    for (rule, lines) in [
        (
            "shell(docker rm *)",
            &["docker container ls -a", "docker ps -a", "docker image rm x", "docker run --rm x"][..],
        ),
        ("shell(docker run *)", &["docker container inspect run", "docker ps run", "docker compose run x"]),
        ("shell(docker build *)", &["docker buildx ls", "docker image ls build", "docker builder prune -f"]),
        ("shell(git add *)", &["git status", "git stash", "git log --oneline"]),
        ("shell(tmux kill-session *)", &["tmux kill-server", "tmux new -s a", "tmux ls"]),
        ("shell(tmux kill-server)", &["tmux kill-session -t a", "tmux kill-pane"]),
        ("shell(rustup update *)", &["rustup show", "rustup target list"]),
        ("shell(helm uninstall *)", &["helm ls", "helm upgrade x y", "helm status x"]),
        ("shell(brew uninstall *)", &["brew list", "brew info rm"]),
        ("shell(hg commit *)", &["hg status", "hg log -l 3", "hg copy a b"]),
        ("shell(gem install *)", &["gem list", "gem info x"]),
        (
            "shell(yarn remove *)",
            &["yarn workspace remove add x", "yarn workspaces list remove", "yarn test"],
        ),
        ("shell(pnpm remove *)", &["pnpm run x", "pnpm test", "pnpm i"]),
    ] {
        all.extend(wrong(rule, lines, Allow));
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// D2.22: each thing that is to be made is made, wherever it stands.
/// Attack 631.
#[test]
fn given_a_denied_goal_behind_others_then_it_is_denied() {
    let mut all = Vec::new();
    let many: String = (0..100).map(|at| format!(" a{at}")).collect();
    let many = format!("make{many} deploy");
    for (rule, lines) in [
        (
            "shell(make deploy *)",
            &[
                "make test deploy",
                "make -j4 test deploy",
                "make X=1 deploy",
                "make test X=1 deploy -k",
                &many,
            ][..],
        ),
        ("shell(make deploy)", &["make test deploy", "make deploy test", "make -s deploy"]),
        ("shell(mvn deploy *)", &["mvn clean deploy", "mvn -q clean deploy -DskipTests"]),
        ("shell(gradle publish *)", &["gradle clean publish", "gradle -q clean publish --info"]),
        ("shell(just b *)", &["just a b", "just X=1 a b"]),
        ("shell(rake b *)", &["rake a b"]),
        ("shell(ninja b *)", &["ninja a b", "ninja -C out a b"]),
        ("shell(task b *)", &["task a b"]),
    ] {
        all.extend(wrong(rule, lines, Deny));
    }
    for (rule, lines) in [
        (
            "shell(make deploy *)",
            &["make test lint", "make test X=deploy", "make -j4", "make deploy-docs test"][..],
        ),
        ("shell(mvn deploy *)", &["mvn clean install", "mvn test"]),
        ("shell(gradle publish *)", &["gradle clean build", "gradle build -x publish"]),
        ("shell(ninja b *)", &["ninja a", "ninja -C out a"]),
    ] {
        all.extend(wrong(rule, lines, Allow));
    }
    assert!(all.is_empty(), "{all:#?}");
    // An allow covers the words as they are written.
    let policy = policy(&[(Allow, "shell(make test *)")]);
    assert_eq!(effect(&policy, &shell("make deploy test")), Ask);
}
