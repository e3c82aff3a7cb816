//! Changes to a text as pieces, so that they can be taken back to the byte.

use serde::{Deserialize, Serialize};

use super::model::Span;

/// What stands in the place of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// What stood there in the old text.
    Kept(Span),
    New(String),
}

/// A place of the old text, and what stands there in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) span: Span,
    pub(super) replacement: Vec<Piece>,
}

impl Splice {
    pub(super) fn new(span: Span, with: impl Into<String>) -> Self {
        Self { span, replacement: vec![Piece::New(with.into())] }
    }
}

/// How a part of the old text is made from the new one. What is in both is not written down again, so that no
/// secret is copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum UndoPiece {
    /// From and to, in the new part.
    Kept(usize, usize),
    Text(String),
}

/// The whole new text as pieces of the old one; none if splices overlap.
pub(super) fn split_into_pieces(old: &str, splices: &[Splice]) -> Option<Vec<Piece>> {
    let mut splices: Vec<&Splice> = splices.iter().collect();
    splices.sort_by_key(|splice| (splice.span.start, splice.span.end));
    let mut all = Vec::new();
    let mut at = 0;
    for splice in splices {
        if splice.span.start < at || splice.span.end < splice.span.start {
            return None;
        }
        all.push(Piece::Kept(at..splice.span.start));
        all.extend(splice.replacement.iter().cloned());
        at = splice.span.end;
    }
    all.push(Piece::Kept(at..old.len()));
    Some(all)
}

/// The new text.
pub(super) fn join_pieces(old: &str, pieces: &[Piece]) -> Option<String> {
    let mut new = String::with_capacity(old.len());
    for piece in pieces {
        match piece {
            Piece::Kept(span) => new.push_str(old.get(span.clone())?),
            Piece::New(text) => new.push_str(text),
        }
    }
    Some(new)
}

/// How the part `region` of the old text comes back from the part of the new text in its place.
pub(super) fn undo_pieces(old: &str, pieces: &[Piece], region: &Span) -> Option<Vec<UndoPiece>> {
    // Where what was kept is now.
    let mut kept: Vec<(Span, usize)> = Vec::new();
    let (mut now, mut first) = (0, None);
    for piece in pieces {
        match piece {
            Piece::Kept(span) => {
                if span.contains(&region.start) && first.is_none() {
                    first = Some(now + region.start - span.start);
                }
                kept.push((span.clone(), now));
                now += span.len();
            }
            Piece::New(text) => now += text.len(),
        }
    }
    let first = first?;
    let mut back = Vec::new();
    let mut at = region.start;
    while at < region.end {
        if let Some((span, place)) = kept.iter().find(|(span, _)| span.contains(&at)) {
            let end = span.end.min(region.end);
            let from = (place + at - span.start).checked_sub(first)?;
            back.push(UndoPiece::Kept(from, from + end - at));
            at = end;
        } else {
            let next = kept.iter().map(|(span, _)| span.start).filter(|start| *start > at).min();
            let end = next.unwrap_or(region.end).min(region.end);
            back.push(UndoPiece::Text(old.get(at..end)?.to_owned()));
            at = end;
        }
    }
    Some(back)
}

/// The old part, from the new one.
pub(super) fn restore_text(new: &str, back: &[UndoPiece]) -> Option<String> {
    let mut old = String::new();
    for piece in back {
        match piece {
            UndoPiece::Kept(from, to) => old.push_str(new.get(*from..*to)?),
            UndoPiece::Text(text) => old.push_str(text),
        }
        // A record that somebody made up must not fill the memory.
        if old.len() > crate::commands::settings::LARGEST {
            return None;
        }
    }
    Some(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Can undo exactly": what was spliced comes back to the byte, and what is in both is not written down.
    #[test]
    fn given_splices_then_the_old_text_comes_back() {
        let old = "head {cmd: ünpx, args: []} tail";
        let splices = [
            Splice::new(11..16, "mayi"),
            Splice { span: 25..25, replacement: vec![Piece::New("mcp ".into()), Piece::Kept(11..16)] },
        ];
        let pieces = split_into_pieces(old, &splices).unwrap();
        let new = join_pieces(old, &pieces).unwrap();
        assert_eq!(new, "head {cmd: mayi, args: [mcp ünpx]} tail");
        let region = 5..27;
        let back = undo_pieces(old, &pieces, &region).unwrap();
        assert!(
            !back.iter().any(|piece| matches!(piece, UndoPiece::Text(text) if text.contains("npx"))),
            "{back:?}"
        );
        assert_eq!(restore_text(new.get(5..new.len() - 5).unwrap(), &back).as_deref(), old.get(region));
    }

    #[test]
    fn given_overlapping_splices_or_nonsense_then_there_is_no_text() {
        let splices = [Splice::new(0..3, "x"), Splice::new(2..4, "y")];
        assert_eq!(split_into_pieces("abcdef", &splices), None);
        assert_eq!(restore_text("ü", &[UndoPiece::Kept(1, 2)]), None);
        assert_eq!(restore_text("abc", &[UndoPiece::Kept(2, 9)]), None);
    }
}
