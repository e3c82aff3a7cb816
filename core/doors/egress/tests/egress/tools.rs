//! Real programs, told of the proxy by their environment alone.

use std::fs;
use std::path::Path;
use std::process::Output;

use mayi_egress::{Allowance, Answer, Event, Lasts, Limits, Observe, Proxy, Resolve as _, SystemResolver};
use tokio::process::Command;

use crate::origin::Origin;
use crate::tls::{CERTIFICATE, Files};
use crate::world::{PATIENCE, World, denied};

/// Runs a program with the variables of the proxy, and no settings of the user's.
async fn run(world: &World, program: &str, arguments: &[&str], home: Option<&Path>) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).envs(world.environment()).kill_on_drop(true);
    if let Some(home) = home {
        command
            .env("GIT_SSL_CAINFO", home.join(CERTIFICATE))
            .env("HOME", home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0");
    }
    tokio::time::timeout(PATIENCE * 4, command.output()).await.unwrap().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// curl reaches what is allowed, over plain HTTP and TLS.
#[tokio::test]
async fn given_curl_then_it_reaches_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), "content").unwrap();
    let (world, origin) = (World::new(), Origin::ok().await);
    let url = format!("http://a.example:{}/", origin.port());
    let output = run(&world, "curl", &["-sS", &url], Some(folder.path())).await;
    assert_eq!(texts(&output).0, "ok", "{output:?}");
    let host = Files::new("b.example", folder.path()).await;
    let certificate = host.write_certificate(folder.path());
    let url = format!("https://b.example:{}/x", host.port);
    let arguments = ["-sS", "--cacert", certificate.to_str().unwrap(), &url];
    let output = run(&world, "curl", &arguments, Some(folder.path())).await;
    assert_eq!(texts(&output).0, "content", "{output:?}");
}

/// curl shows the words of a refusal over plain HTTP, and that of a CONNECT where it is asked to tell more.
#[tokio::test]
async fn given_curl_and_a_denied_host_then_it_fails_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    world.answer(denied());
    let output = run(&world, "curl", &["-sS", "http://a.example/"], Some(folder.path())).await;
    assert!(texts(&output).0.contains("mayi: nobody has allowed this."), "{output:?}");
    let output = run(&world, "curl", &["-sSv", "https://a.example/"], Some(folder.path())).await;
    let (_, errors) = texts(&output);
    assert!(!output.status.success());
    assert!(errors.contains("403 mayi: nobody has allowed this."), "{errors}");
    assert!(errors.contains("CONNECT tunnel failed, response 403"), "{errors}");
}

/// git clones over TLS what is allowed.
#[tokio::test]
async fn given_git_then_it_clones_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let (world, at) = (World::new(), folder.path());
    let source = at.join("source");
    let git = async |arguments: &[&str]| {
        let output = run(&world, "git", arguments, Some(at)).await;
        assert!(output.status.success(), "{output:?}");
    };
    let source_text = source.to_str().unwrap();
    git(&["init", "-q", source_text]).await;
    fs::write(source.join("x"), "content").unwrap();
    git(&["-C", source_text, "add", "x"]).await;
    let author = ["-c", "user.name=x", "-c", "user.email=x@a.example"];
    git(&[&["-C", source_text], &author[..], &["commit", "-qm", "x"]].concat()).await;
    git(&["clone", "-q", "--bare", source_text, at.join("x.git").to_str().unwrap()]).await;
    git(&["-C", at.join("x.git").to_str().unwrap(), "update-server-info"]).await;
    let host = Files::new("git.example", at).await;
    host.write_certificate(at);
    let url = format!("https://git.example:{}/x.git", host.port);
    git(&["clone", "-q", &url, at.join("clone").to_str().unwrap()]).await;
    assert_eq!(fs::read_to_string(at.join("clone/x")).unwrap(), "content");
    let wish = world.rules.asked.lock().unwrap()[0].clone();
    assert_eq!((wish.method.as_str(), wish.host.as_str(), wish.port), ("CONNECT", "git.example", host.port));
}

/// Python's library shows the words in its error.
#[tokio::test]
async fn given_python_and_a_denied_host_then_its_error_has_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    world.answer(denied());
    let code = "import urllib.request; urllib.request.urlopen('https://a.example/')";
    let output = run(&world, "python3", &["-c", code], Some(folder.path())).await;
    let (_, errors) = texts(&output);
    assert!(errors.contains("Tunnel connection failed: 403 mayi: nobody has allowed this."), "{errors}");
}

/// The internet, as far as this machine has it: names by the system's resolver, everything allowed.
fn internet() -> World {
    struct Silent;
    impl Observe for Silent {
        fn observe(&self, _: Event) {}
    }
    let mut world = World::within(Limits::default());
    // Where a mirror of the registries is near, its address is.
    world.answer(Answer::Allow(Allowance { own_addresses: true, lasts: Lasts::Proxy, raw: false }));
    let proxy = Proxy::new(
        world.rules.clone(),
        std::sync::Arc::new(Silent),
        std::sync::Arc::new(SystemResolver),
        Limits::default(),
    );
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    world.address = listener.local_addr().unwrap();
    world.command = proxy.register(mayi_egress::Client::new("one", None).unwrap()).unwrap();
    world.proxy = proxy.clone();
    tokio::spawn(async move { proxy.serve(listener).await });
    world
}

/// npm, pip and cargo reach their registries, from the user's own settings.
#[tokio::test]
#[ignore = "needs registries that can be reached"]
async fn given_tools_with_registries_then_they_work() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let world = internet();
    let output = run(&world, "npm", &["view", "left-pad", "version"], None).await;
    assert!(output.status.success(), "{output:?}");
    let pip = ["-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir", "-d", at, "six"];
    let output = run(&world, "python3", &pip, None).await;
    assert!(output.status.success(), "{output:?}");
    let asked = world.rules.count();
    assert!(asked >= 2, "they went through the proxy");
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let manifest =
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nsubtle = \"2\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    let manifest = folder.path().join("Cargo.toml");
    let output = run(&world, "cargo", &["update", "--manifest-path", manifest.to_str().unwrap()], None).await;
    assert!(output.status.success(), "{output:?}");
    assert!(world.rules.count() > asked, "it went through the proxy");
}

/// The system's resolver finds this machine by its name.
#[tokio::test]
async fn given_the_resolver_of_the_system_then_it_finds_addresses() {
    let found = SystemResolver.resolve("localhost").await.unwrap();
    assert!(found.iter().any(std::net::IpAddr::is_loopback), "{found:?}");
}
