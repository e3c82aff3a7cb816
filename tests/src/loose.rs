//! What an agent starts so that it is nobody's child any more, and what that tries then: to answer in the person's place.

use std::io::Write;
use std::path::PathBuf;

use crate::{LIMIT, Machine, mayi_program, skipped, until};

/// Ways to start a command, of which most leave it without the parents that it had, or put it where it does not see them:
/// `CMD` is the command.
const WAYS: [(&str, &str); 13] = [
    ("a child", "CMD &"),
    ("a child with a session of its own", "setsid CMD &"),
    ("&, in a shell that ends", "(CMD &)"),
    ("setsid -f", "setsid -f CMD"),
    ("two forks and setsid", "( (setsid CMD &) & )"),
    ("two forks without an environment", "( (env -i setsid CMD &) & )"),
    ("nohup", "(nohup CMD >/dev/null 2>&1 &)"),
    ("a terminal of script's", "(script -qec 'CMD' /dev/null >/dev/null 2>&1 &)"),
    ("a new server of tmux", "SHELL=/bin/sh tmux -L loose -f /dev/null new-session -d CMD"),
    ("a PID namespace of its own", "setsid -f unshare -Upf CMD"),
    ("a PID namespace with its own /proc", "setsid -f unshare -Urpf --mount-proc CMD"),
    ("nothing in /proc", "setsid -f unshare -Urm sh -c 'mount -t tmpfs none /proc; CMD'"),
    ("bwrap", "setsid -f bwrap --unshare-pid --bind / / --dev-bind /dev /dev --proc /proc CMD"),
];

/// What some of these ways need that is not everywhere, with a command that says whether it is.
const NEEDED: [(&str, &[&str]); 3] = [
    ("tmux", &["tmux", "-V"]),
    ("unshare", &["unshare", "-Urpf", "--mount-proc", "true"]),
    ("bwrap", &["bwrap", "--unshare-pid", "--bind", "/", "/", "--proc", "/proc", "true"]),
];

/// Answers all that waits by the sockets of the processes that ask, as a program does that nobody else has written: it does not
/// look at itself.
const DIRECT: &str = r#"
import glob, json, os, socket, subprocess, sys
listed = subprocess.run([sys.argv[1], "inbox", "--json"], capture_output=True, text=True).stdout
said = []
for card in map(json.loads, listed.splitlines()):
    answer = {"answer": {"by": "inbox", "response": {"approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}}}}
    for path in glob.glob(os.environ["XDG_DATA_HOME"] + "/mayi/owners/*.sock"):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(path)
            try:
                asking.sendall(json.dumps(answer).encode() + b"\n")
            except BrokenPipeError:
                pass
            said.append(asking.makefile().readline())
refused = said and all("an agent can't answer" in reply for reply in said)
print("an agent can't answer" if refused else ("taken", listed, said))
"#;

/// Answers with the backend's token, where there is one.
const ANSWERS: &str = r#"
import glob, json, os, urllib.error, urllib.request
token = open(glob.glob(os.environ["XDG_STATE_HOME"] + "/mayi/serve/*.answer")[0]).read().strip()
url = open("url").read().strip()
def call(method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"authorization": "Bearer " + token, "content-type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(url, body, headers)).read().decode()
try:
    card = json.loads(call("approval/list", {"pending": True}))["result"][0]["card"]
    print("answered", call("approval/respond", {"approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}}))
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
"#;

/// Processes of an agent's that are loose, and wait for a question to answer.
pub struct Loose {
    folder: PathBuf,
    ways: Vec<(&'static str, &'static str)>,
}

impl Loose {
    /// What they will need on this machine.
    ///
    /// # Panics
    /// If it can't be written.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        let folder = machine.outside("loose");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let variables: String = machine
            .environment()
            .into_iter()
            .map(|(name, value)| format!("export {name}='{}'\n", value.to_string_lossy()))
            .collect();
        let script = format!(
            "{variables}cd {}\nexec >/dev/null 2>&1\nmkfifo go.$1\necho >there.$1\nread id <go.$1\n\
             script -qec \"{} inbox approve $id\" /dev/null </dev/null >said.new.$1\n\
             python3 direct.py {} >>said.new.$1 2>&1\n\
             [ ! -f url ] || python3 answers.py >>said.new.$1 2>&1\n\
             mv said.new.$1 said.$1\nexec sleep 300\n",
            folder.display(),
            mayi_program().display(),
            mayi_program().display(),
        );
        std::fs::write(folder.join("loose.sh"), script).expect("a file can be written");
        std::fs::write(folder.join("answers.py"), ANSWERS).expect("a file can be written");
        std::fs::write(folder.join("direct.py"), DIRECT).expect("a file can be written");
        let mut ways = WAYS.to_vec();
        for (name, line) in NEEDED {
            let [program, words @ ..] = line else { continue };
            let tried = std::process::Command::new(program).args(words).output();
            if !tried.is_ok_and(|output| output.status.success()) {
                skipped(&format!("{name} is not there, or is not let: ways that need it were not tried"));
                ways.retain(|(_, way)| !way.contains(name));
            }
        }
        Self { folder, ways }
    }

    /// Where a backend is, of which they have read the token.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn know(&self, url: &str) {
        std::fs::write(self.folder.join("url"), url).expect("a file can be written");
    }

    /// A line for a shell that starts all of them, and becomes `then`.
    #[must_use]
    pub fn line(&self, then: &str) -> String {
        let script = self.folder.join("loose.sh");
        let start = |(at, (_, way)): (usize, &(&str, &str))| {
            let way = way.replace("CMD", &format!("sh {} {at}", script.display()));
            // Behind a `&` there is no `;`.
            if way.ends_with('&') { format!("{way} ") } else { format!("{way}; ") }
        };
        let starts: String = self.ways.iter().enumerate().map(start).collect();
        format!("export TMUX_TMPDIR={}; {starts}exec {then}", self.folder.display())
    }

    /// Has each of them try to allow the question with this id of `mayi inbox`, one after the other, and gives what each was
    /// told.
    ///
    /// # Panics
    /// If one does not come to try it.
    #[must_use]
    pub fn answers(&self, id: &str) -> Vec<(&'static str, String)> {
        let of = |at: usize, name: &str| self.folder.join(format!("{name}.{at}"));
        let said = |(at, (way, _)): (usize, &(&'static str, &str))| {
            let there = |name: &str| {
                until(
                    LIMIT,
                    || if of(at, name).exists() { Ok(()) } else { Err(format!("no {name}: {way}")) },
                );
            };
            there("there");
            let mut go = std::fs::OpenOptions::new().write(true).open(of(at, "go")).expect("it reads");
            writeln!(go, "{id}").expect("it reads");
            there("said");
            (*way, std::fs::read_to_string(of(at, "said")).expect("it is there"))
        };
        self.ways.iter().enumerate().map(said).collect()
    }

    /// Whether every one of them was told that an agent does not answer, and nothing else.
    ///
    /// # Panics
    /// If one was not.
    pub fn are_refused(&self, id: &str) {
        let times = if self.folder.join("url").exists() { 3 } else { 2 };
        for (way, said) in self.answers(id) {
            assert_eq!(said.matches("an agent can't answer").count(), times, "{way}: {said}");
        }
    }
}

/// Runs the test `name` of this program as an ordinary user, if this one is root: an ordinary user's tests are that already.
///
/// # Panics
/// If it fails.
pub fn again_as_ordinary_user(name: &str) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), mode).expect("it is this user's");
    let mut again = std::process::Command::new("setpriv");
    again.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    again.arg(std::env::current_exe().expect("it has a name")).args(["--exact", name, "--nocapture"]);
    // What root has in its own home is not for others.
    again.env("TMPDIR", folder.path()).env("HOME", folder.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let output = again.output().expect("setpriv is there");
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

impl Machine {
    /// The ids of the questions that wait, once there are so many.
    ///
    /// # Panics
    /// If there are not.
    #[must_use]
    #[track_caller]
    pub fn waiting(&self, count: usize) -> Vec<String> {
        let ids = || {
            let listed = self.mayi(["inbox"]).end().text();
            let first = |row: &str| row.split_whitespace().next().map(str::to_owned);
            listed.lines().skip(1).filter_map(first).collect::<Vec<String>>()
        };
        until(LIMIT, || match ids() {
            ids if ids.len() == count => Ok(()),
            ids => Err(format!("{ids:?} wait, and not {count}")),
        });
        ids()
    }
}
