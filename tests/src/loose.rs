//! What an agent starts so that it is nobody's child any more, and what that tries then: to answer in the person's place.

use std::ffi::OsString;
use std::path::PathBuf;

use rustix::process::Pid;

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

/// What each of them tries, and how often it should be told that an agent does not answer: a program of Python, which is told where
/// mayi is. It goes by a file of its name's, where there is one to be tried by.
const TRIES: [(&str, usize, &str); 5] = [
    // By the sockets of the processes that ask, as a program does that nobody else has written: it does not look at itself.
    ("direct", 1, include_str!("loose/direct.py")),
    ("token", 1, include_str!("loose/token.py")),
    ("hidden", 1, include_str!("loose/token.py")),
    ("page", 2, include_str!("loose/page.py")),
    // Nobody is told anything there.
    ("terminal", 0, include_str!("loose/terminal.py")),
];

/// Processes of an agent's that are loose, and wait for a question to answer.
pub struct Loose {
    folder: PathBuf,
    /// With their places in the list.
    ways: Vec<(usize, &'static str, &'static str)>,
}

impl Loose {
    /// What they will need on this machine.
    ///
    /// # Panics
    /// If it can't be written.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        Self::at(machine.outside("loose"), machine.environment())
    }

    /// What they will need in `folder`, and how they find mayi's folders.
    ///
    /// # Panics
    /// If it can't be written.
    #[must_use]
    pub fn at(folder: PathBuf, environment: impl IntoIterator<Item = (&'static str, OsString)>) -> Self {
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let variables: String = environment
            .into_iter()
            .map(|(name, value)| format!("export {name}='{}'\n", value.to_string_lossy()))
            .collect();
        let mayi = mayi_program().display().to_string();
        let mut script = format!(
            "{variables}cd {}\nexec >/dev/null 2>&1\nmkfifo go.$1\necho >there.$1\nread id <go.$1\n\
             script -qec \"{mayi} inbox approve $id\" /dev/null </dev/null >said.new.$1\n",
            folder.display()
        );
        for (name, _, program) in TRIES {
            std::fs::write(folder.join(format!("{name}.py")), program).expect("a file can be written");
            script += &format!("[ ! -f {name} ] || python3 {name}.py {mayi} >>said.new.$1 2>&1\n");
        }
        script += "mv said.new.$1 said.$1\nexec sleep 300\n";
        std::fs::write(folder.join("loose.sh"), script).expect("a file can be written");
        std::fs::write(folder.join("direct"), "").expect("a file can be written");
        let mut ways: Vec<_> = WAYS.iter().enumerate().map(|(at, (name, way))| (at, *name, *way)).collect();
        for (name, line) in NEEDED {
            let [program, words @ ..] = line else { continue };
            let tried = std::process::Command::new(program).args(words).output();
            if !tried.is_ok_and(|output| output.status.success()) {
                skipped(&format!("{name} is not there, or is not let: ways that need it were not tried"));
                ways.retain(|(.., way)| !way.contains(name));
            }
        }
        Self { folder, ways }
    }

    /// Where a backend is, of which they have read the token.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn know(&self, url: &str) {
        self.has("url", url);
        self.has("token", "");
        if a_login_hides() {
            skipped(
                "this user is logged in from elsewhere: a hidden connection is taken for the end of a tunnel",
            );
        } else {
            self.has("hidden", "");
        }
    }

    /// What they have read of its page: its token, and a code that pairs another one.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn know_page(&self, token: &str, code: &str) {
        self.has("page", &serde_json::json!({ "token": token, "code": code }).to_string());
    }

    /// The terminal in which the mayi with this number asks.
    ///
    /// # Panics
    /// If it has none.
    pub fn know_terminal(&self, pid: Pid) {
        let pid = pid.as_raw_nonzero();
        let device =
            std::fs::read_link(format!("/proc/{pid}/fd/0")).expect("its standard input is the terminal");
        let root = if rustix::process::geteuid().is_root() { "yes" } else { "no" };
        self.has("terminal", &format!("{pid} {} {root}", device.display()));
    }

    fn has(&self, name: &str, text: &str) {
        std::fs::write(self.folder.join(name), text).expect("a file can be written");
    }

    /// A line for a shell that starts one which is connected to the page's backend when the line has ended.
    #[must_use]
    pub fn early(&self) -> String {
        let folder = self.folder.display();
        format!("cd {folder}; mkfifo there go; python3 page.py before >said 2>&1 & read line <there; ")
    }

    /// What that one is told when it answers.
    ///
    /// # Panics
    /// If it does not come to it.
    #[must_use]
    pub fn early_answer(&self) -> String {
        drop(std::fs::OpenOptions::new().write(true).open(self.folder.join("go")).expect("it reads"));
        let said = || std::fs::read_to_string(self.folder.join("said")).unwrap_or_default();
        until(LIMIT, || if said().ends_with('\n') { Ok(()) } else { Err("it says nothing".to_owned()) });
        said()
    }

    /// A line for a shell that starts all of them, and becomes `then`.
    #[must_use]
    pub fn line(&self, then: &str) -> String {
        format!("{}exec {then}", self.starts())
    }

    /// A line for a shell that starts all of them.
    #[must_use]
    pub fn starts(&self) -> String {
        let script = self.folder.join("loose.sh");
        let start = |(at, _, way): &(usize, &str, &str)| {
            let way = way.replace("CMD", &format!("sh {} {at}", script.display()));
            // Behind a `&` there is no `;`.
            if way.ends_with('&') { format!("{way} ") } else { format!("{way}; ") }
        };
        let starts: String = self.ways.iter().map(start).collect();
        format!("export TMUX_TMPDIR={}; {starts}", self.folder.display())
    }

    /// Leaves out those that the agent has ended itself together with its command, and gives their names.
    ///
    /// # Panics
    /// If there is no `/proc`.
    pub fn leave_out_ended(&mut self) -> Vec<&'static str> {
        let script = self.folder.join("loose.sh").display().to_string();
        let processes = std::fs::read_dir("/proc").expect("it is there").flatten();
        let lines =
            processes.map(|process| std::fs::read(process.path().join("cmdline")).unwrap_or_default());
        let lines: Vec<String> =
            lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ") + " ").collect();
        let runs = |at: usize| lines.iter().any(|line| line.contains(&format!("{script} {at} ")));
        let (there, ended): (Vec<_>, Vec<_>) = self.ways.drain(..).partition(|(at, ..)| runs(*at));
        self.ways = there;
        ended.into_iter().map(|(_, name, _)| name).collect()
    }

    /// Has each of them try to allow the question with this id of `mayi inbox`, one after the other, and gives what each was
    /// told.
    ///
    /// # Panics
    /// If one does not come to try it.
    #[must_use]
    pub fn answers(&self, id: &str) -> Vec<(&'static str, String)> {
        let said = |(at, way, _): &(usize, &'static str, &str)| {
            let of = |name: &str| self.folder.join(format!("{name}.{at}"));
            let there = |name: &str| {
                until(LIMIT, || if of(name).exists() { Ok(()) } else { Err(format!("no {name}: {way}")) });
            };
            there("there");
            let go = || {
                let nobody = |error| format!("nobody reads: {way}: {error}");
                let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
                let go = rustix::fs::open(of("go"), flags, rustix::fs::Mode::empty()).map_err(nobody)?;
                rustix::io::write(go, format!("{id}\n").as_bytes()).map(drop).map_err(nobody)
            };
            until(LIMIT, go);
            there("said");
            (*way, std::fs::read_to_string(of("said")).expect("it is there"))
        };
        self.ways.iter().map(said).collect()
    }

    /// Whether every one of them was told that an agent does not answer, and nothing else.
    ///
    /// # Panics
    /// If one was not.
    pub fn are_refused(&self, id: &str) {
        let tried = TRIES.iter().filter(|(name, ..)| self.folder.join(name).exists());
        let times = 1 + tried.map(|(_, times, _)| times).sum::<usize>();
        for (way, said) in self.answers(id) {
            assert_eq!(said.matches("an agent can't answer").count(), times, "{way}: {said}");
        }
    }
}

/// Whether something of this user's that another user has started lets nobody look, as what a login by ssh leaves does.
fn a_login_hides() -> bool {
    let status = |pid: &str, field: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(field))?;
        Some(line.split_whitespace().next()?.to_owned())
    };
    let own = Some(rustix::process::geteuid().as_raw().to_string());
    let hides = |pid: String| {
        let shown = std::fs::read_dir(format!("/proc/{pid}/fd"));
        let parent = || status(&status(&pid, "PPid:")?, "Uid:");
        shown.is_err() && status(&pid, "Uid:") == own && parent().is_some() && parent() != own
    };
    let processes = std::fs::read_dir("/proc").expect("it is there").flatten();
    processes.filter_map(|process| process.file_name().into_string().ok()).any(hides)
}

/// Runs the test `name` of this program as an ordinary user, if this one is root: an ordinary user's tests are that already.
///
/// # Panics
/// If it fails.
pub fn again_as_ordinary_user(name: &str) {
    again_as_ordinary_user_with(name, None);
}

/// The same; what is in the folder that `variable` names is found in another one, where this user may look.
///
/// # Panics
/// If it fails.
pub fn again_as_ordinary_user_with(name: &str, variable: Option<&str>) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), mode).expect("it is this user's");
    let mut words: Vec<OsString> = Vec::new();
    let shown = tempfile::tempdir().expect("a folder can be made");
    if let Some(from) = variable.and_then(std::env::var_os) {
        std::fs::set_permissions(shown.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("it is this user's");
        // The folder itself may be root's alone.
        let show = "for folder in \"$0\"/*/; do here=\"$1/${folder#\"$0\"/}\"; mkdir \"$here\"; mount --bind \"$folder\" \"$here\"; \
                    done; shift; exec \"$@\"";
        words.extend(["unshare", "-m", "sh", "-ec", show].map(OsString::from));
        words.extend([from, shown.path().into()]);
    }
    words.extend(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"].map(OsString::from));
    words.push(std::env::current_exe().expect("it has a name").into());
    words.extend(["--exact", name, "--nocapture"].map(OsString::from));
    let mut again = std::process::Command::new(&words[0]);
    again.args(&words[1..]);
    // What root has in its own home is not for others.
    again.env("TMPDIR", folder.path()).env("HOME", folder.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    // It is root's file, and root's own run has said what was left out.
    again.env_remove("MAYI_SKIPPED");
    again.envs(variable.map(|variable| (variable, shown.path())));
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
