//! Names that a search gives, and that something else reads: `find ~ | xargs cat`, `cat $(find -L .)`. What a search goes
//! through by itself is names alone; where they are read, it is all that they stand for.

use std::path::Path;

use super::Walker;
use crate::shell::{Caveat, CaveatSubject, Reach, ShellAccess, Touch, TouchedPath, Use};
use crate::{Access, PathAccess};

/// As many links are looked at.
const MOST_LINKS: usize = 256;

impl Walker<'_> {
    /// Judges what reads names that are not known by the folders that the line searches.
    pub(super) fn read_what_is_listed(&mut self) {
        let reads = |access: &Access| matches!(access, Access::Shell(shell) if could_read_anything(shell));
        let Some(reader) = self.out.accesses.iter().rposition(reads) else { return };
        // Wherever in the line: what a substitution runs is found behind the command that it is a word of.
        let searched = self.out.accesses.iter().filter_map(|access| match access {
            // What the agent sees by itself is what it asked for.
            Access::Shell(shell) if shell.reader && !shell.shown => Some(shell),
            _ => None,
        });
        let mut folders: Vec<PathAccess> = Vec::new();
        for touch in searched.flat_map(|shell| &shell.touches) {
            if let (TouchedPath::Known(path), Use::Read, Reach::Itself) =
                (&touch.path, touch.how, touch.reach)
                && path.folder
                && !folders.contains(path)
            {
                folders.push(path.clone());
            }
        }
        for folder in folders {
            self.read_below(&folder, reader);
        }
    }

    /// The command at `place` may read what lies below `folder`.
    fn read_below(&mut self, folder: &PathAccess, place: usize) {
        let inside = self.at.roots.is_empty() || folder.is_within(self.at.roots);
        let links = if inside {
            crate::links_below(&folder.resolved, true, &mut self.looked.budget())
        } else {
            Some(Vec::new())
        };
        let private = !inside && is_private(&folder.resolved, self.at.home);
        let Some(shell) = self.out.shell_access_mut(place) else { return };
        let mut always = |reason: String| {
            shell.caveats.push(Caveat { reason, always: true, named: CaveatSubject::Nothing })
        };
        if private {
            always(format!("it reads files that a search of {} names", folder.resolved.display()));
        }
        let Some(links) = links else {
            return always(format!(
                "it reads files that a search of {} names, which are too many to look at",
                folder.resolved.display()
            ));
        };
        let known = |link: &std::path::PathBuf| {
            Some(Touch::known_path(PathAccess::new(Path::new("/"), link.to_str()?), Use::Read))
        };
        shell.touches.extend(links.iter().take(MOST_LINKS).filter_map(known));
    }
}

/// Whether it reads a file whose name comes from elsewhere, and could be any.
fn could_read_anything(shell: &ShellAccess) -> bool {
    let any = |touch: &Touch| {
        let TouchedPath::Open(path) = &touch.path else { return false };
        path.slashes
            && !path.looked_up
            && !matches!(touch.how, Use::Write(_))
            && matches!(path.pieces.first(), Some(None))
    };
    shell.touches.iter().any(any)
}

/// Whether private files may lie below: the user's own, or the system's.
fn is_private(folder: &Path, home: Option<&Path>) -> bool {
    let around = |place: &Path| place.starts_with(folder) || folder.starts_with(place);
    home.is_some_and(around)
        || ["/etc", "/root", "/proc", "/var"].iter().any(|place| around(Path::new(place)))
}
