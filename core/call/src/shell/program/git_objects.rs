//! What a name of git's stands for: paths beside a commit narrow what is shown of it, and those beside the text of a file
//! do not.
//!
//! Looked up among the references and objects of the repository; what can't be told is no commit.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::GitNames;
use super::repository::{common_git_folder, entry_exists, git_folder_of, work_tree_top};

/// As many files of packs are looked into.
const MOST_PACKS: usize = 256;
/// As many bytes of names that begin alike are read from one of them.
const MOST_NAMES: u64 = 4 * 1024 * 1024;
/// The longest list of references.
const LONGEST_LIST: u64 = 16 * 1024 * 1024;
/// As many references that name others, and as many differences up to a whole object.
const MOST_STEPS: usize = 64;
/// How the text of a commit begins in git's store.
const KIND: &[u8] = b"commit ";
/// The length of an object's name, which this knows: the older of git's two.
const NAME: usize = 40;

/// Whether this names a commit, or commits; none if it is neither a reference nor the name of an object, as far as is known.
pub(super) fn is_commit(cwd: &Path, text: &str, names: GitNames) -> Option<bool> {
    let text = text.strip_prefix('^').unwrap_or(text);
    // Only commits have what they share.
    if text.contains("...") {
        return Some(true);
    }
    match text.split_once("..") {
        Some((from, to)) => Some([from, to].iter().all(|end| is_commit(cwd, end, names) == Some(true))),
        None => Store::is_one(cwd, text).map(|found| found && stays(text, names)),
    }
}

/// Whether what an earlier command does leaves the meaning of a name.
fn stays(text: &str, names: GitNames) -> bool {
    match names {
        GitNames::AsTheyAre => true,
        GitNames::Fetched => only_commits(text) || text.split(['^', '@']).next() != Some("FETCH_HEAD"),
        // What stands behind it only commits have.
        GitNames::Changed => {
            let name = text.split(['^', '~', '@']).next().unwrap_or(text);
            // `@{u}` is a reference, too.
            let told = text.split_once("@{").is_some_and(|(_, rest)| rest.starts_with(char::is_alphabetic));
            let own =
                !told && matches!(name, "" | "HEAD") || name.len() == NAME && object_name(name) == Some(name);
            own || only_commits(text)
        }
        GitNames::AllChanged => false,
    }
}

/// Whether it has behind its name what only commits have.
fn only_commits(text: &str) -> bool {
    text.contains('~') || text.ends_with('^')
}

/// Whether this could be (the beginning of) an object's name, also as `v1-2-g1a2b3c4`.
fn object_name(text: &str) -> Option<&str> {
    let hash = |text: &str| text.len() >= 4 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let described = text.rsplit_once("-g").map(|(_, name)| name);
    [Some(text), described].into_iter().flatten().find(|text| hash(text))
}

/// Where a repository has its references and objects.
struct Store {
    git: PathBuf,
    common: PathBuf,
}

impl Store {
    fn around(cwd: &Path) -> Option<Self> {
        let git = git_folder_of(&work_tree_top(cwd)?)?;
        let common = common_git_folder(&git)?;
        Some(Self { git, common })
    }

    /// One name, with what may stand behind it: `main~2`, `v1^{commit}`, `main@{1}`. Where objects stand in for others, none is
    /// what it is called.
    fn is_one(cwd: &Path, text: &str) -> Option<bool> {
        let found = Self::names_one(cwd, text)?;
        Some(found && !Self::around(cwd).is_some_and(|store| store.has_replaced()))
    }

    fn names_one(cwd: &Path, text: &str) -> Option<bool> {
        let (mut name, mut behind) = text.split_at(text.find(['^', '~']).unwrap_or(text.len()));
        while let Some(rest) =
            ["^{}", "^{object}", "^{blob}", "^{tag}"].iter().find_map(|end| behind.strip_suffix(end))
        {
            behind = rest;
        }
        // Whatever else stands there, only commits have it.
        if !behind.is_empty() {
            return Some(true);
        }
        if let Some((own, _)) = name.split_once("@{") {
            name = own;
        }
        let store = Self::around(cwd);
        if matches!(name, "" | "@" | "HEAD") {
            return Some(store.is_none_or(|store| store.is_on_commit()));
        }
        let hash = object_name(name);
        let Some(store) = store else { return hash.map(|_| false) };
        let whole = hash.filter(|hash| hash.len() >= NAME && hash.len() == name.len());
        let named = if whole.is_some() { None } else { store.reference(name, 0) };
        named.or_else(|| hash.map(|hash| store.are_commits(&hash.to_ascii_lowercase()).unwrap_or(false)))
    }

    /// Whether the commit at hand is one: git lets `HEAD` lead to any reference.
    fn is_on_commit(&self) -> bool {
        let text = super::repository::read_small_file(&self.git.join("HEAD")).unwrap_or_default();
        text.strip_prefix("ref:").is_none_or(|other| self.reference(other.trim(), 0) != Some(false))
    }

    /// Whether git is told to take some objects for others (`git replace`).
    fn has_replaced(&self) -> bool {
        let loose = fs::read_dir(self.common.join("refs/replace")).is_ok_and(|mut all| all.next().is_some());
        let list = self.common.join("packed-refs");
        loose || fs::read_to_string(list).is_ok_and(|list| list.contains(" refs/replace/"))
    }

    /// Whether what git takes for the reference of this name is a commit; none if there is none.
    fn reference(&self, name: &str, steps: usize) -> Option<bool> {
        if entry_exists(&self.common.join("reftable"))
            || steps > MOST_STEPS
            || name.split('/').any(|part| part == "..")
        {
            return Some(false);
        }
        let list = self.common.join("packed-refs");
        let packed = match entry_exists(&list) {
            true if fs::metadata(&list).is_ok_and(|meta| meta.len() <= LONGEST_LIST) => {
                fs::read_to_string(&list).ok()
            }
            true => None,
            false => Some(String::new()),
        };
        let Some(packed) = packed else { return Some(false) };
        let begins = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
        let mut names: Vec<String> = begins.iter().map(|begin| format!("{begin}{name}")).collect();
        names.push(format!("refs/remotes/{name}/HEAD"));
        names.iter().find_map(|full| self.reference_called(full, &packed, steps))
    }

    /// The same of the one with exactly this name.
    fn reference_called(&self, full: &str, packed: &str, steps: usize) -> Option<bool> {
        for folder in [&self.git, &self.common] {
            let file = folder.join(full);
            if !fs::metadata(&file).is_ok_and(|meta| meta.is_file()) {
                continue;
            }
            let text = super::repository::read_small_file(&file).unwrap_or_default();
            if let Some(other) = text.strip_prefix("ref:") {
                return Some(self.reference(other.trim(), steps + 1) == Some(true));
            }
            let hash = text.split_whitespace().next().filter(|hash| object_name(hash).is_some());
            return match hash {
                // Git has no branch be anything else.
                Some(_) if full.starts_with("refs/heads/") => Some(true),
                Some(hash) => Some(self.are_commits(hash).unwrap_or(false)),
                // Other files of a git folder are no references.
                None if !full.contains('/') => None,
                None => Some(false),
            };
        }
        let mut lines = packed.lines();
        while let Some(line) = lines.next() {
            let Some((hash, _)) = line.split_once(' ').filter(|(_, name)| *name == full) else { continue };
            let peeled = lines.next().and_then(|line| line.strip_prefix('^'));
            let commit = || self.are_commits(peeled.unwrap_or(hash)).unwrap_or(false);
            return Some(full.starts_with("refs/heads/") || commit());
        }
        None
    }

    /// Whether all objects whose names begin so are commits. None if that can't be told, or there are none.
    fn are_commits(&self, start: &str) -> Option<bool> {
        let objects = self.common.join("objects");
        if start.len() > NAME || entry_exists(&objects.join("info/alternates")) {
            return None;
        }
        let (mut found, mut all) = (false, true);
        let (folder, rest) = start.split_at_checked(2)?;
        for entry in fs::read_dir(objects.join(folder)).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(rest)) {
                found = true;
                all &= is_loose_commit(&entry.path())?;
            }
        }
        let (mut packs, mut lists) = (0, Vec::new());
        for entry in fs::read_dir(objects.join("pack")).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|end| end.to_str()) {
                Some("pack") => packs += 1,
                Some("idx") => lists.push(path),
                _ => {}
            }
        }
        if packs != lists.len() || packs > MOST_PACKS {
            return None;
        }
        for list in lists {
            for at in packed_objects(&list, start)? {
                found = true;
                all &= is_packed_commit(&list.with_extension("pack"), at)?;
            }
        }
        found.then_some(all)
    }
}

/// Whether an object that is a file of its own is a commit.
fn is_loose_commit(file: &Path) -> Option<bool> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(4096).read_to_end(&mut bytes).ok()?;
    // It ends before the stream does: what was unpacked until then is enough.
    let start = decompress_to_vec_zlib_with_limit(&bytes, KIND.len()).unwrap_or_else(|error| error.output);
    (start.len() >= KIND.len()).then(|| start.starts_with(KIND))
}

/// Where in a pack the objects lie whose names begin so, by the list beside it. None if that is not understood.
fn packed_objects(list: &Path, start: &str) -> Option<Vec<u64>> {
    const HEAD: u64 = 8 + 256 * 4;
    let mut file = File::open(list).ok()?;
    let length = file.metadata().ok()?.len();
    let number = |file: &mut File, at: u64| bytes_at::<4>(file, at).map(u32::from_be_bytes).map(u64::from);
    if bytes_at::<8>(&mut file, 0)? != *b"\xfftOc\0\0\0\x02" {
        return None;
    }
    let first = u64::from(u8::from_str_radix(start.get(..2)?, 16).ok()?);
    let count = number(&mut file, HEAD - 4)?;
    let from = if first == 0 { 0 } else { number(&mut file, 8 + (first - 1) * 4)? };
    let to = number(&mut file, 8 + first * 4)?;
    // Longer names, and packs of more than two gigabytes, have other lists.
    if length != HEAD + count * 28 + 40 || from > to || to > count || (to - from) * 20 > MOST_NAMES {
        return None;
    }
    let mut names = vec![0; usize::try_from((to - from) * 20).ok()?];
    file.seek(SeekFrom::Start(HEAD + from * 20)).ok()?;
    file.read_exact(&mut names).ok()?;
    let fits = |name: &[u8]| {
        let digits = name.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        start.bytes().zip(digits).all(|(own, digit)| char::from(own).to_digit(16) == Some(u32::from(digit)))
    };
    let found = (from..).zip(names.chunks_exact(20)).filter(|(_, name)| fits(name)).map(|(index, _)| index);
    found.map(|index| number(&mut file, HEAD + count * 24 + index * 4)).collect()
}

/// Whether the object that lies there in a pack is a commit: itself, or what it is told as a difference to.
fn is_packed_commit(pack: &Path, mut at: u64) -> Option<bool> {
    let mut file = File::open(pack).ok()?;
    for _ in 0..MOST_STEPS {
        let head: [u8; 24] = bytes_at(&mut file, at)?;
        match head.first()? >> 4 & 7 {
            1 => return Some(true),
            2..=4 => return Some(false),
            // How far before it the other one lies.
            6 => {
                let size = head.iter().position(|byte| byte & 0x80 == 0)?;
                let mut bytes = head.get(size + 1..)?.iter().take(9);
                let mut byte = bytes.next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = bytes.next()?;
                    back = (back + 1) << 7 | u64::from(byte & 0x7f);
                }
                at = at.checked_sub(back).filter(|_| back > 0)?;
            }
            _ => return None,
        }
    }
    None
}

/// The bytes that stand there; none if the file ends before.
fn bytes_at<const N: usize>(file: &mut File, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(at)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
