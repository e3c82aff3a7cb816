//! Endings that programs try, as the programs themselves do it where they are installed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{hold, look_in};
use crate::shell::TouchedPath;

/// Lines that read what `q` stands for.
const LINES: &[&str] = &[
    "gzip -cd q",
    "gunzip -c q",
    "zcat q",
    "zcat -f q",
    "zgrep T q",
    "zegrep T q",
    "zfgrep T q",
    "xzgrep T q",
    "bzgrep T q",
    "pigz -dc q",
    "unpigz -c q",
    "uncompress -c q",
    "bzcat q",
    "bzcat -f q",
    "bzip2 -dc q",
    "xzcat q",
    "xzcat -f q",
    "xz -dc q",
    "zstdcat q",
    "zstd -dc q",
    "lz4 -dc q",
    "lzip -dc q",
    "unzip -p q",
    "unzip -l q",
    "zipinfo -1 q",
    "zipgrep T q",
    "7z l q",
    "7z x -so q",
    "zless q",
    "zmore q",
    "cat q",
    "zcmp q /dev/null",
    "zdiff q /dev/null",
    "jq . q",
    "tar tf q",
    "less q",
    "readelf -h q",
    "od -c q",
];

/// Endings of packed files.
const ENDINGS: &[&str] = &[
    ".gz", "-gz", ".z", "-z", "_z", ".Z", ".zz", "-zz", ".zip", ".ZIP", ".tgz", ".taz", ".bz2", ".bz",
    ".tbz", ".tbz2", ".xz", ".txz", ".lzma", ".lz", ".lz4", ".zst", ".7z", ".rar", ".jar", ".tar", ".json",
    ".a", ".o", ".exe",
];

/// The word TOLD, packed by gzip, and as a member of that name in an archive of zip.
const PACKED: [&[u8]; 2] = [
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x0b\xf1\xf7q\xe1\x02\x00\xc6\xc1\x86\xc5\x05\x00\x00\x00",
    b"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00!\x00\xc6\xc1\x86\xc5\x05\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00TOLDTOLD\nPK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00\x00\x00!\x00\xc6\xc1\x86\xc5\x05\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00TOLDPK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x002\x00\x00\x00'\x00\x00\x00\x00\x00",
];

/// What the line prints in `folder`. None where its program is not installed.
fn printed(line: &str, folder: &Path) -> Option<String> {
    let mut words = line.split(' ');
    let program = format!("/usr/bin/{}", words.next()?);
    fs::metadata(&program).ok()?;
    let mut command = Command::new(program);
    command.args(words).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.env_clear().env("PATH", "/usr/bin:/bin").env("PAGER", "cat").output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// D2.25: what a program opens in place of a name that is not there counts as read.
#[test]
fn given_a_program_that_is_installed_then_the_table_has_the_endings_that_it_tries() {
    let tells = |line: &str, endings: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        PACKED.iter().any(|packed| {
            for ending in endings {
                fs::write(dir.path().join(format!("q{ending}")), packed).unwrap();
            }
            printed(line, dir.path()).is_some_and(|text| text.contains("TOLD"))
        })
    };
    // Most take none of them.
    let lines = LINES.iter().filter(|line| tells(line, ENDINGS));
    hold(lines.flat_map(|line| ENDINGS.iter().map(move |ending| (line, ending))), |(line, ending)| {
        let name = format!("q{ending}");
        let known = look_in(line, Path::new("/nowhere"), false);
        let seen = known
            .touches
            .iter()
            .any(|touch| matches!(&touch.path, TouchedPath::Known(path) if path.given == name));
        (!seen && tells(line, &[ending])).then(|| format!("{line} takes {name}"))
    });
}
