//! Which commands bring links to places: by their words alone.

use crate::shell::Word;

/// A command that brings links.
pub(super) enum Bringer<'w> {
    /// It gives files other names, or makes links.
    Moves(Moves<'w>),
    /// It takes these files out of a repository, or any.
    Takes(Vec<&'w Word>),
}

/// What such a command is told.
pub(super) struct Moves<'w> {
    /// Words that are no options.
    pub(super) operands: Vec<&'w Word>,
    /// It makes links itself.
    pub(super) links: bool,
    /// The last of its words is where to, as `moved_names.rs` has it.
    pub(super) plain: bool,
    /// Some place is told in another way than by such a word.
    pub(super) hidden: bool,
}

impl<'w> Bringer<'w> {
    pub(super) fn of(words: &'w [Word]) -> Option<Self> {
        let (first, mut rest) = words.split_first()?;
        let mut name = base(first)?;
        let inside = matches!(name, "busybox" | "toybox");
        if inside {
            let (inner, behind) = rest.split_first()?;
            (name, rest) = (base(inner)?, behind);
        }
        let moves = |links: bool| Some(Self::Moves(Moves::new(rest, links, !inside)));
        let other =
            || Some(Self::Moves(Moves { plain: false, hidden: true, ..Moves::new(rest, false, false) }));
        match name {
            "ln" | "gln" | "cp" | "gcp" => moves(rest.iter().any(makes_links)),
            "symlink" => moves(true),
            "mv" | "gmv" | "rsync" | "install" | "ginstall" | "link" | "ditto" => moves(false),
            "rename" | "prename" | "file-rename" | "perl-rename" | "mmv" | "zmv" | "cpio" | "pax" => other(),
            "jar" | "bsdtar" | "ar" | "unar" => Some(Self::Takes(Vec::new())),
            "git" => Self::of_git(rest),
            name if name.starts_with("python") => {
                let library = rest.windows(2).any(|pair| {
                    let text = |at: usize| pair.get(at).and_then(Word::literal);
                    text(0) == Some("-m") && matches!(text(1), Some("tarfile" | "zipfile"))
                });
                library.then(|| Self::Takes(Vec::new()))
            }
            _ => None,
        }
    }

    fn of_git(words: &'w [Word]) -> Option<Self> {
        const SUBS: &[&str] =
            &["mv", "checkout", "restore", "read-tree", "checkout-index", "sparse-checkout"];
        let is = |word: &Word, of: &[&str]| word.literal().is_some_and(|text| of.contains(&text));
        let at = words.iter().position(|word| is(word, SUBS))?;
        let (before, behind) = words.split_at(at);
        let (sub, behind) = behind.split_first()?;
        // `git -C DIR`, `git --work-tree=DIR`: elsewhere.
        let here = before.is_empty();
        match sub.literal()? {
            "mv" => Some(Self::Moves(Moves { hidden: !here, ..Moves::new(behind, false, here) })),
            // It makes a branch of what is there.
            "checkout" if behind.len() == 2 && behind.first().is_some_and(|word| is(word, &["-b", "-B"])) => {
                None
            }
            "checkout" | "restore" if here => {
                let mut paths: Vec<&Word> = Vec::new();
                let mut words = behind.iter();
                while let Some(word) = words.next() {
                    if is(word, &["-s", "--source", "-b", "-B", "--orphan"]) {
                        words.next();
                    } else if is(word, &["--"]) {
                        paths.clear();
                    } else if !is_option(word) {
                        paths.push(word);
                    }
                }
                Some(Self::Takes(paths))
            }
            _ => Some(Self::Takes(Vec::new())),
        }
    }
}

impl<'w> Moves<'w> {
    fn new(words: &'w [Word], links: bool, plain: bool) -> Self {
        let into = |word: &&Word| {
            let text = word.known_prefix();
            text.starts_with("--ta") || text.starts_with('-') && !text.starts_with("--") && text.contains('t')
        };
        let told: Vec<&Word> = words.iter().filter(|word| is_option(word)).filter(into).collect();
        let apart = |word: &&Word| {
            word.literal().is_some_and(|text| text.ends_with('t') || text.ends_with("directory"))
        };
        Self {
            operands: words.iter().filter(|word| !is_option(word)).collect(),
            links,
            plain: plain && told.is_empty(),
            hidden: !told.iter().all(apart),
        }
    }
}

/// Whether a command puts files into an archive, or names those that another one does.
pub(super) fn packs(words: &[Word]) -> bool {
    let Some(name) = words.first().and_then(base) else { return false };
    match name {
        "git" => words.iter().any(|word| matches!(word.literal(), Some("archive"))),
        _ => matches!(
            name,
            "tar"
                | "gtar"
                | "bsdtar"
                | "zip"
                | "7z"
                | "7za"
                | "7zz"
                | "cpio"
                | "pax"
                | "ar"
                | "jar"
                | "find"
                | "ls"
        ),
    }
}

/// Whether a command brings somebody else's files under their own names, and links among them: a repository's, an archive's.
pub(super) fn takes_unnamed(words: &[Word]) -> bool {
    const TAKERS: &[&str] = &[
        "git", "hg", "svn", "jj", "gh", "glab", "tar", "gtar", "bsdtar", "unzip", "7z", "7za", "7zz", "7zr",
        "unar", "unrar", "cpio", "pax", "patch", "gpatch", "jar", "busybox", "toybox",
    ];
    words.first().and_then(base).is_some_and(|name| TAKERS.contains(&name) || name.starts_with("python"))
}

/// Whether a command takes a link of the name that it is given as itself, and does not go where that leads.
pub(super) fn leaves_links(words: &[Word]) -> bool {
    matches!(words.first().and_then(base), Some("mkdir" | "rmdir" | "rm" | "unlink"))
}

fn is_option(word: &Word) -> bool {
    word.known_prefix().starts_with('-')
}

/// `-s`, `--symbolic`: to `ln` and to `cp`.
pub(super) fn makes_links(word: &Word) -> bool {
    let Some(text) = word.literal() else { return false };
    text.starts_with("--sy") || text.starts_with('-') && !text.starts_with("--") && text.contains('s')
}

pub(super) fn base(word: &Word) -> Option<&str> {
    word.literal()?.rsplit('/').next()
}
