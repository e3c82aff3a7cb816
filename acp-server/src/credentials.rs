//! Two credentials: one may ask, the other may answer (S3.1). New ones for each start.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use mayi_doors::web::same_token;
use sha2::Sha256;

/// What somebody may do: each includes what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Credential {
    /// Ask whether something may be done.
    Ask,
    /// See what waits, and answer it: a page that was paired. It starts no programs and changes no settings by itself.
    Page,
    /// Everything that a person may.
    Answer,
}

impl Credential {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Page => "page",
            Self::Answer => "answer",
        }
    }
}

/// Both tokens, and the files that they are in while the backend runs.
#[derive(Debug)]
pub struct Credentials {
    ask: Token,
    answer: Token,
}

#[derive(Debug)]
struct Token {
    text: String,
    file: PathBuf,
}

impl Credentials {
    /// Makes new tokens, in files of `folder` that only the user can read.
    ///
    /// # Errors
    /// If there is no randomness, or the files can't be written.
    pub fn create(folder: &Path, instance: &str) -> io::Result<Self> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let ask = Token::create(folder.join(format!("{instance}.ask")))?;
        let answer = Token::create(folder.join(format!("{instance}.answer")))?;
        Ok(Self { ask, answer })
    }

    /// The file of the token that may only ask.
    #[must_use]
    pub fn ask_file(&self) -> &Path {
        &self.ask.file
    }

    /// The file of the token that may answer.
    #[must_use]
    pub fn answer_file(&self) -> &Path {
        &self.answer.file
    }

    /// Takes the files away: the backend ends.
    pub(crate) fn delete_files(&self) {
        self.ask.delete_file();
        self.answer.delete_file();
    }

    /// What `token` stands for.
    pub(crate) fn for_token(&self, token: &str) -> Option<Credential> {
        // Both are compared, whatever comes of the first.
        let (answers, asks) = (same_token(token, &self.answer.text), same_token(token, &self.ask.text));
        if answers {
            return Some(Credential::Answer);
        }
        asks.then_some(Credential::Ask)
    }

    /// Shows that this server has the answering token, and tells nothing about it: HMAC-SHA256 over the client's nonce.
    /// Attack: whoever listens at the port of a server that is gone.
    pub(crate) fn nonce_proof(&self, nonce: &str) -> Option<String> {
        let fits = (32..=128).contains(&nonce.len()) && nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut mac = Hmac::<Sha256>::new_from_slice(self.answer.text.as_bytes()).ok().filter(|_| fits)?;
        mac.update(b"mayi-serve ");
        mac.update(nonce.as_bytes());
        Some(to_hex(&mac.finalize().into_bytes()))
    }
}

impl Token {
    fn create(file: PathBuf) -> io::Result<Self> {
        let text = random_token()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        writeln!(options.open(&file)?, "{text}")?;
        Ok(Self { text, file })
    }

    /// What it says is worth nothing once the backend is gone.
    fn delete_file(&self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.delete_file();
    }
}

/// 256 random bits, in hexadecimal.
pub(crate) fn random_token() -> io::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(to_hex(&bytes))
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S3.1: one kind may only ask, another may answer, from files only the user can read.
    #[test]
    fn given_both_tokens_then_each_stands_for_what_it_may_and_nobody_else_can_read_them() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = Credentials::create(folder.path(), "one").unwrap();
        let read = |file: &Path| std::fs::read_to_string(file).unwrap().trim().to_owned();
        let (ask, answer) = (read(credentials.ask_file()), read(credentials.answer_file()));
        assert_eq!(credentials.for_token(&ask), Some(Credential::Ask));
        assert_eq!(credentials.for_token(&answer), Some(Credential::Answer));
        assert_eq!(credentials.for_token(&answer[1..]), None);
        assert_eq!(credentials.for_token(""), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = credentials.answer_file().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let file = credentials.answer_file().to_owned();
        drop(credentials);
        assert!(!file.exists());
    }

    /// Attack 23: "a squatted port of a dead server": only who has the token can show that it does.
    #[test]
    fn given_a_nonce_then_the_proof_is_of_this_token_and_this_nonce() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (
            Credentials::create(folder.path(), "1").unwrap(),
            Credentials::create(folder.path(), "2").unwrap(),
        );
        let nonce = "0123456789abcdef0123456789abcdef";
        let proof = one.nonce_proof(nonce).unwrap();
        assert_ne!(Some(&proof), two.nonce_proof(nonce).as_ref());
        assert_ne!(Some(&proof), one.nonce_proof(&nonce.replace('0', "1")).as_ref());
        assert_eq!(one.nonce_proof("short"), None);
        assert_eq!(one.nonce_proof(&"z".repeat(64)), None);
    }
}
