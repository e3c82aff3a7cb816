//! What a command has to be able to read: the session's folders, the system, caches of tools, and of the user's home what programs
//! are installed in. The rest of the home, and of the machine, is nobody's business of its.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::Place;

/// Folders of the system: programs, libraries, and their settings. What is not there is passed over.
pub(crate) const SYSTEM: &[&str] = &[
    "/bin",
    "/dev",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    "/proc",
    "/run/current-system",
    "/run/systemd/resolve",
    "/sbin",
    "/snap",
    "/sys",
    "/tmp",
    "/usr",
    "/var/cache",
    "/var/lib",
    "/var/tmp",
];

/// The folders for temporary files: each is the same private one.
pub(crate) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Below home: what tools are installed in, or are told how to work by. Their caches are in a table of their own. Secrets in them are
/// hidden as everywhere.
const HOME: &[&str] = &[
    ".asdf",
    ".bun",
    ".cabal",
    ".composer",
    ".config/fish",
    ".config/git",
    ".config/go",
    ".config/pip",
    ".config/pnpm",
    ".config/uv",
    ".config/yarn",
    ".dart-tool",
    ".deno",
    ".dotnet",
    ".elan",
    ".fnm",
    ".gem",
    ".ghcup",
    ".gitattributes",
    ".gitconfig",
    ".gitignore",
    ".hex",
    ".ivy2",
    ".jbang",
    ".julia",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/share/virtualenv",
    ".m2",
    ".mix",
    ".nuget",
    ".nvm",
    ".opam",
    ".pnpm-store",
    ".pub-cache",
    ".pyenv",
    ".rbenv",
    ".rvm",
    ".sdkman",
    ".stack",
    ".swiftpm",
    ".virtualenvs",
    ".volta",
    ".yarn",
    ".yarnrc.yml",
    "Android/Sdk",
    "go",
    "miniconda3",
    "anaconda3",
];

/// The places besides the session's folders: those of home that are there, and those that hold a program of `programs`, the folders
/// in which the user's shell looks for them.
pub(crate) fn places(home: Option<&Path>, programs: &[PathBuf]) -> Vec<Place> {
    let mut found = BTreeSet::new();
    if let Some(home) = home {
        found.extend(HOME.iter().map(|name| home.join(name)));
    }
    found.extend(programs.iter().filter_map(|folder| installation(folder, home)));
    let because = "what programs are installed in";
    let there = found.into_iter().filter_map(|path| path.canonicalize().ok());
    let mut places: Vec<Place> = there.map(|path| Place { path, because: because.to_owned() }).collect();
    places.sort();
    places.dedup();
    places
}

/// Whether something at `place`, or below it, can be read where `readable` and the system can.
pub(crate) fn can_hold(readable: &[Place], place: &Path) -> bool {
    let own = readable.iter().map(|readable| readable.path.as_path());
    own.chain(SYSTEM.iter().map(Path::new)).any(|known| place.starts_with(known) || known.starts_with(place))
}

/// What belongs to a folder with programs: in a home the hidden folder that it lies in (`~/.nvm` of `~/.nvm/versions/v1/bin`), else
/// the folder above a `bin`. Never a home itself, nor what lies above one.
fn installation(programs: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if !programs.is_absolute() {
        return None;
    }
    let below_home = home.and_then(|home| Some((home, programs.strip_prefix(home).ok()?)));
    if let Some((home, rest)) = below_home
        && let Some(Component::Normal(first)) = rest.components().next()
        && first.as_encoded_bytes().starts_with(b".")
    {
        // Some hold more than one program's things.
        let shared = first == ".local" || first == ".config";
        return Some(if shared { programs.to_owned() } else { home.join(first) });
    }
    let above = programs.parent().filter(|_| programs.ends_with("bin") || programs.ends_with("shims"));
    let holds_home = |folder: &&Path| home.is_some_and(|home| home.starts_with(folder));
    let deep_enough = |folder: &&Path| folder.components().count() > 2;
    let whole = above.filter(|folder| !holds_home(folder)).filter(deep_enough);
    let chosen = whole.unwrap_or(programs);
    (!holds_home(&chosen)).then(|| chosen.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S1.27.
    #[test]
    fn given_a_folder_of_programs_then_what_belongs_to_it_is_readable_and_no_home() {
        let of = |text: &str| installation(Path::new(text), Some(Path::new("/home/me")));
        let at = |text: &str| Some(PathBuf::from(text));
        assert_eq!(of("/home/me/.nvm/versions/v20/bin"), at("/home/me/.nvm"));
        assert_eq!(of("/home/me/.local/bin"), at("/home/me/.local/bin"));
        assert_eq!(of("/home/me/tools/x/bin"), at("/home/me/tools/x"));
        assert_eq!(of("/home/me/bin"), at("/home/me/bin"));
        assert_eq!(of("/home/me"), None);
        assert_eq!(of("/home"), None);
        assert_eq!(of("/srv/x/bin"), at("/srv/x"));
        assert_eq!(of("/srv/bin"), at("/srv/bin"));
        assert_eq!(of("bin"), None);
    }
}
