//! The programs that lines find: the real ones for what only reads, and markers, which tell that they were run and with
//! which words, in the place of every other.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Programs that are what they are called.
const REAL: &[&str] = &[
    "[",
    "awk",
    "base64",
    "basename",
    "bash",
    "bsdtar",
    "bzip2",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "dash",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expand",
    "expr",
    "false",
    "fdfind",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "gawk",
    "git",
    "git-upload-archive",
    "grep",
    "gzip",
    "head",
    "id",
    "join",
    "jq",
    "less",
    "ls",
    "mawk",
    "md5sum",
    "more",
    "nice",
    "nl",
    "nohup",
    "nproc",
    "od",
    "paste",
    "pr",
    "printenv",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sed",
    "seq",
    "sh",
    "sha256sum",
    "shuf",
    "sort",
    "split",
    "stat",
    "stdbuf",
    "strings",
    "sum",
    "tac",
    "tail",
    "tar",
    "test",
    "timeout",
    "tr",
    "tree",
    "true",
    "tsort",
    "uname",
    "unexpand",
    "uniq",
    "wc",
    "which",
    "whoami",
    "xargs",
    "xxd",
    "zcat",
    "zgrep",
    "zsh",
];

/// Programs that do something: a marker stands for each.
const MARKERS: &[&str] = &[
    "ack",
    "apt",
    "cargo",
    "chmod",
    "chown",
    "cp",
    "curl",
    "dd",
    "docker",
    "ed",
    "emacs",
    "evil",
    "ftp",
    "gh",
    "go",
    "gpg",
    "install",
    "kill",
    "ln",
    "make",
    "mkdir",
    "mktemp",
    "mv",
    "nc",
    "node",
    "npm",
    "npx",
    "openssl",
    "patch",
    "perl",
    "php",
    "pip",
    "python",
    "python3",
    "rm",
    "rmdir",
    "rsync",
    "ruby",
    "scp",
    "ssh",
    "sudo",
    "systemctl",
    "tee",
    "telnet",
    "touch",
    "truncate",
    "unlink",
    "vi",
    "vim",
    "wget",
    "EOF",
    "E",
    "EOFtouch",
    "Etouch",
    "pwned",
    "unzip",
    "zip",
];

/// Fills the folder that is the whole `PATH`.
pub(crate) fn fill(bin: &Path, log: &Path) {
    fs::create_dir_all(bin).unwrap();
    let mut missing = Vec::new();
    for name in REAL {
        let mut found =
            ["/usr/bin", "/bin", "/usr/local/bin"].iter().map(|folder| Path::new(folder).join(name));
        match found.find(|path| path.is_file()) {
            Some(real) => symlink(real, bin.join(name)).unwrap(),
            None => missing.push(*name),
        }
    }
    assert_eq!(missing, [""; 0], "install these, or run tests/run, which does");
    // Debian's name for it is another one.
    let _ = symlink("/usr/bin/fdfind", bin.join("fd"));
    MARKERS.iter().for_each(|name| script(&bin.join(name), name, log));
}

/// A program at `path` that writes into `log` that it ran as `name`, in one piece.
pub(crate) fn script(path: &Path, name: &str, log: &Path) {
    let text = format!(
        "#!/bin/dash\ntold=$(printf '%s\\036' {name} \"$@\"; printf .)\nprintf '\\034%s\\035' \"${{told%.}}\" >>'{}'\n",
        log.display()
    );
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// The function with which bash tells of a command that is not there, for the environment.
pub(crate) fn not_found(log: &Path) -> String {
    format!(
        "() {{ local told; builtin printf -v told '%s\\036' \"$@\"; builtin printf '\\034%s\\035' \"$told\" >>'{}'; return 127; }}",
        log.display()
    )
}

/// The commands of a log.
pub(crate) fn commands(log: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(log);
    let records = text.split('\x1d').filter_map(|record| Some(record.rsplit_once('\x1c')?.1.to_owned()));
    let words = |record: String| {
        let mut words: Vec<String> = record.split('\x1e').map(str::to_owned).collect();
        words.pop();
        words
    };
    // A record without a word was cut off by the limit of files.
    records.map(words).filter(|words| !words.is_empty()).collect()
}
