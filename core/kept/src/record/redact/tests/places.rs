//! Secrets that are told by their names and by the place in a command.

use super::*;

/// Each text; what is secret in it has `hunter` in it.
const LINES: &[&str] = &[
    // Assignments by every name that a variable could have.
    "DB_PASS=hunter2 deploy",
    "MYSQL_PWD=hunter2 mysql",
    "AUTH=hunter2 x",
    "COOKIE=hunter2 x",
    "SECRET_KEY_BASE=hunter2 rails s",
    "ansible-playbook -e ansible_become_pass=hunter2",
    "ansible-playbook -e 'ansible_become_pass=hunter2'",
    "export JWT='hunter 2hunter'",
    "mypass=hunter2",
    "TOKEN_2=hunter2",
    // Words that are quoted for what is in them.
    "shell(curl '--user=bob:hunter0002xyz' https://x.example)",
    "shell(curl -u 'bob:hunter=2' https://x.example)",
    "shell(deploy '--password=hunter2')",
    "shell(mysql '-phunter=2' db)",
    "shell(docker login -u me '-p=hunter2' r.example)",
    // By the place.
    "aws configure set aws_secret_access_key hunter2",
    "aws configure set --profile x aws_secret_access_key hunter2",
    "npm config set //registry.example/:_authToken hunter2hunter",
    "npm config set //registry.example/:_authToken=hunter2hunter",
    "git config --global user.password hunter2",
    "git clone https://hunter2hunter@example.com/x",
    "git clone https://hunter2hunter:x-oauth-basic@example.com/x",
    "git clone https://hunter2hunter:@example.com/x",
    "curl 'https://x.example/?auth=hunter2'",
    "curl https://x.example/?a=b&token=hunter2",
    "curl https://x.example/?api_key=hunter2",
    "curl -b 'sid=hunter2; b=hunter3' https://x.example",
    "curl -b sid=hunter2 https://x.example",
    "curl '--cookie=sid=hunter2' https://x.example",
    "curl 'https://x.example/?a=1&b=2' --cookie sid=hunter2",
    "curl 'https://x.example/?a=1&b=2' -u me:hunter2",
    "curl -u 'me:hunter 2' https://x.example",
    "curl -ume:hunter2 https://x.example",
    "http -a me:hunter2 GET x.example",
    "curl -H 'X-Auth-Token: hunter2'",
    "curl -H 'X-Auth: hunter2'",
    "curl -H 'X-Authentication: hunter2'",
    "curl -H 'X-Api-Key: hunter2'",
    "vault login hunter2hunter",
    "vault login -no-print hunter2hunter",
    "tool --pat hunter2",
    "tool --pin 1hunter",
    "tool --my-pat=hunter2",
    "redis-cli -h x -a hunter2 ping",
    "redis-cli -ahunter2",
    "sqlcmd -S x -U sa -P hunter2 -Q 'x'",
    "twine upload -u me -p hunter2 dist/x",
    "zip -r -P hunter2 x.zip x",
    "unzip -P hunter2 x.zip",
    "ssh-keygen -t ed25519 -N hunter2 -f x",
    "ssh-keygen -p -P 'hunter 2hunter' -N ''",
    "openssl enc -aes-256-cbc -pass pass:hunter2 -in x",
    "openssl rsa -in x -passin 'pass:hunter2'",
    "openssl enc -k hunter2 -in x",
    "htpasswd -bc file me hunter2",
    "htpasswd -nb me hunter2",
    "htpasswd -b -B file me hunter2 && ls",
    "kubectl create secret generic x --from-literal=k=hunter2",
    "kubectl create secret generic x '--from-literal=k=hunter2'",
    "kubectl create secret generic x --from-literal k=hunter2",
    // Settings.
    "{\"pass\": \"hunter2\"}",
    "{\\\"pass\\\": \\\"hunter2\\\"}",
    "\"{\\\"db\\\": {\\\"dbPass\\\": \\\"hunter2\\\"}}\"",
    "mypass: hunter2",
    "  db_pass: \"hunter 2hunter\"",
    "- cookie: hunter2",
    "Server=x;Uid=y;Pwd=hunter2;",
];

/// D7.3: every stored string redacted: patterns and known secret values. Attack 22.
#[test]
fn given_a_secret_by_its_name_or_place_then_it_is_gone() {
    let left = |line: &&&str| {
        let clean = plain().redact(line);
        clean.contains("hunter") || !clean.contains("«redacted: ")
    };
    assert_eq!(LINES.iter().filter(left).collect::<Vec<_>>(), [&""; 0]);
}

/// The same, as arguments of a tool have them.
#[test]
fn given_members_that_say_pass_at_their_end_then_their_values_are_gone() {
    let mut value = json!({"dbPass": "a1", "MYSQL_PWD": "b2", "compass": "north", "bypass": "c", "pwd": "d"});
    plain().redact_value(&mut value);
    let mark = "«redacted: by its name»";
    assert_eq!(
        value,
        json!({"dbPass": mark, "MYSQL_PWD": mark, "compass": "north", "bypass": "c", "pwd": mark})
    );
}

/// What is no secret stays: else nobody sees what runs.
#[test]
fn given_ordinary_lines_of_developers_then_they_are_as_they_were() {
    const ORDINARY: &[&str] = &[
        "grep -k x",
        "cp -a x y",
        "git log -p -P x",
        "git log -p path/to/file",
        "make -k all",
        "tar -P -x",
        "author: me",
        "author: somebody",
        "passthrough: true",
        "pass: true",
        "auth: none",
        "compass=x",
        "compass: northwest",
        "bypass=always",
        "author=somebody",
        "monkey=banana",
        "path=src/lib",
        "PWD=/srv/x ls",
        "cd /srv; PWD=/srv/x ls",
        "OLDPWD='/srv/größe x' ls",
        "pat='*' ; pin=3 ; pass=1",
        "requests.get(url, auth=auth, cookie=cookie)",
        "https://github.com/a/b",
        "https://example.com/@scope/package",
        "git clone https://me@example.com/x",
        "user@host:path",
        "scp a.txt somebody@host.example:path/b",
        "git remote add o git@github.com:a/b.git",
        "tool --pin-version 1.2.3",
        "tool --pass-through --auth-type basic",
        "tool --token --verbose",
        "tool --passive on",
        "zip -r x.zip src",
        "unzip -p x.zip a",
        "zipinfo x",
        "redis-cli ping",
        "ssh-keygen -t ed25519 -f x",
        "openssl x509 -in a.pem -noout",
        "openssl enc -pass env:X",
        "curl -b jar.txt https://x.example",
        "curl -a https://x.example",
        "curl -o out https://x.example/a:b",
        "http GET example.com",
        "wget -U Mozilla https://x.example",
        "vault status",
        "vault login -method=oidc",
        "npm config set registry https://registry.example",
        "git config --global user.name somebody",
        "git config core.autocrlf false",
        "git config credential.helper store",
        "kubectl config set-credentials somebody --username x",
        "git config --get user.token",
        "aws configure set region eu-central-1",
        "docker run -p 8080:80 image",
        "mysqldump db -r x",
        "cargo test -p mayi-core",
        "kubectl create configmap x --from-file=a",
        "npx --package x y",
        "let key = map.get(k);",
        "if token == other { return; }",
        "http://localhost:8080/a?b=c",
        "a ? b : c",
        "impl Auth for Basic {}",
        "use crate::auth::Pass;",
        "pub auth: Option<String>,",
        "passes: 12",
        "#define KEY 1",
        "key: value",
        "keys: [a, b]",
    ];
    let changed = ORDINARY.iter().map(|line| plain().redact(line)).filter(|clean| clean.contains('«'));
    assert_eq!(changed.collect::<Vec<_>>(), [""; 0]);
}
