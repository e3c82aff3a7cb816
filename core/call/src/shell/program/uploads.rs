//! Folders that are sent away or packed as a whole: `aws s3 sync . s3://b`, `docker build .`, `netlify deploy --dir=.`. What
//! lies there counts as read, as far as it is there and no ignore file of the program leaves it out.

use super::analyzer::CommandAnalyzer;
use super::name;
use super::worktree;
use crate::shell::{OpenPath, Reach, Touch, TouchedPath, Use, Word};

/// Programs, words of which one has to stand there (with none listed, always), and whether they take the folder at hand
/// where no other is named.
const UPLOADS: &[(&str, &[&str], bool)] = &[
    ("aws", &["sync", "cp", "mv"], false),
    ("az", &["upload-batch"], false),
    ("b2", &["sync", "upload-file"], false),
    ("buildah", &["build", "bud"], false),
    ("bun", &["pack", "publish"], true),
    ("cargo", &["package", "publish"], true),
    ("deno", &["publish"], true),
    ("docker", &["build"], false),
    ("firebase", &["deploy"], true),
    ("fly", &["deploy"], true),
    ("flyctl", &["deploy"], true),
    ("gcloud", &["deploy", "submit"], true),
    ("gcloud", &["cp", "rsync", "mv"], false),
    ("gh", &["--push"], false),
    ("gsutil", &["rsync", "cp", "mv"], false),
    ("helm", &["package"], false),
    ("http-server", &[], true),
    ("kaniko", &[], false),
    ("kubectl", &["cp", "create"], false),
    ("mc", &["cp", "mirror", "mv"], false),
    ("nerdctl", &["build"], false),
    ("netlify", &["deploy"], true),
    ("npm", &["pack", "publish", "publ", "pub"], true),
    ("pnpm", &["pack", "publish"], true),
    ("yarn", &["pack", "publish"], true),
    ("npx", &["serve", "http-server", "surge", "vercel"], true),
    ("oc", &["cp", "create", "start-build"], false),
    ("podman", &["build"], false),
    ("python", &["http.server"], true),
    ("python3", &["http.server"], true),
    ("rclone", &["copy", "sync", "move", "copyto"], false),
    ("s3cmd", &["put", "sync"], false),
    ("serve", &[], true),
    ("surge", &[], true),
    ("vercel", &[], true),
    ("vsce", &["package", "publish"], true),
    ("wrangler", &["deploy"], true),
];

impl CommandAnalyzer<'_> {
    /// Notes what lies in the folders that the command at `at` sends away.
    pub(super) fn add_uploads(&mut self, at: usize) {
        let Some(words) = self.words.get(at..) else { return };
        let Some(program) = words.first().and_then(Word::literal).map(name::base_name) else { return };
        let literal: Vec<&str> = words.iter().skip(1).filter_map(Word::literal).collect();
        let is = |verbs: &[&str]| verbs.is_empty() || literal.iter().any(|word| verbs.contains(word));
        let mut fitting = UPLOADS.iter().filter(|(name, verbs, _)| *name == program && is(verbs)).peekable();
        if fitting.peek().is_none() || literal.iter().any(|word| matches!(*word, "--help" | "--version")) {
            return;
        }
        let image = matches!(program, "docker" | "podman" | "buildah" | "nerdctl");
        let here = fitting.any(|(.., here)| *here);
        let Some(cwd) = self.command.cwd.and_then(|cwd| self.command.looked.resolved_folder(cwd)) else {
            return;
        };
        // `--dir=.`, `x=.`
        let values = literal.iter().flat_map(|word| [*word, word.rsplit('=').next().unwrap_or(word)]);
        let mut folders: Vec<_> = values.filter_map(|text| worktree::existing_folder(&cwd, text)).collect();
        folders.dedup();
        if folders.is_empty() && here {
            folders.push(cwd.clone());
        }
        for folder in folders {
            let touch = |path| Touch { path, how: Use::Read, reach: Reach::Said };
            let Some(files) = worktree::files_below(&folder, image, self.command.looked.budget()) else {
                let given = "more files than can be looked at".to_owned();
                let path = OpenPath {
                    given,
                    pieces: vec![None],
                    slashes: true,
                    stays_below: false,
                    looked_up: false,
                };
                self.places.touches.push(touch(TouchedPath::Open(path)));
                continue;
            };
            let texts = files.iter().filter_map(|file| file.strip_prefix(&folder).ok()?.to_str());
            let looked = self.command.looked;
            self.places
                .touches
                .extend(texts.map(|text| touch(TouchedPath::Known(looked.path_access(&folder, text)))));
        }
    }

    /// `curl -w '%output{FILE}text'` writes the file.
    pub(super) fn written_out(&mut self, at: usize) {
        let words = self.words.get(at..).unwrap_or_default();
        if words.first().and_then(Word::literal).map(name::base_name) != Some("curl") {
            return;
        }
        let mut places = Vec::new();
        for (place, word) in words.iter().enumerate().skip(1) {
            let Some(text) = word.literal() else { continue };
            for (_, behind) in
                text.match_indices("%output{").map(|(at, mark)| (at, text.get(at + mark.len()..)))
            {
                let file = behind.and_then(|behind| behind.split('}').next()).unwrap_or_default();
                let file = file.strip_prefix(">>").unwrap_or(file);
                self.places.add_path(file, Use::Write(crate::WriteKind::Write), Reach::Itself);
                places.push(at + place);
            }
        }
        if !places.is_empty() {
            self.add_plain_caveat("what it prints is written to a file that its format names", places);
        }
    }
}
