//! Cuts the table of forms of secrets, and makes lists of the marks that they are found by and of words that say secret: a process
//! that decides about one call would else do that each time.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

#[path = "src/record/redact/cut.rs"]
mod cut;
#[path = "src/record/redact/lists.rs"]
mod lists;
#[path = "src/record/redact/says.rs"]
mod says;

use cut::{BuiltLists, CutForm, cut_forms, read_value};

/// The head of the table.
const HEAD: &str = "src/record/redact/forms.toml";

/// The files, in the order in which forms name what they find.
const FILES: [&str; 4] = [
    "src/record/redact/forms/platforms.toml",
    "src/record/redact/forms/services.toml",
    "src/record/redact/forms/places.toml",
    "src/record/redact/forms/commands.toml",
];

fn main() -> Result<(), Box<dyn Error>> {
    for path in ["src/record/redact", "build.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let head = std::fs::read_to_string(HEAD)?;
    let named = read_value(&head, "named")?.ok_or("the head has no line `named`")?;
    let files = FILES.iter().map(std::fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let mut forms = Vec::new();
    for text in &files {
        forms.extend(cut_forms(text, &named)?);
    }
    let out = std::env::var_os("OUT_DIR").ok_or("cargo says where")?;
    let out = Path::new(&out);
    let (text, mut code) = generate_forms(&forms, &named)?;
    std::fs::write(out.join("forms.txt"), text)?;
    let (marks, more) = generate_marks(&forms)?;
    code.push_str(&more);
    std::fs::write(out.join("forms.rs"), code)?;
    let says = generate_lists("SAYS", says::SAYS.iter().copied())?;
    std::fs::write(out.join("words.rs"), marks + &says)?;
    Ok(())
}

/// The text of all forms, and where each stands in it. Places are numbers, and no references: the loader would have to write each of
/// those anew.
fn generate_forms(forms: &[CutForm<'_>], named: &str) -> Result<(String, String), Box<dyn Error>> {
    let (mut text, mut code) = (String::new(), String::new());
    let named = append_span(&mut text, named)?;
    writeln!(code, "const NAMED_AT: (u32, u32) = {named:?};")?;
    writeln!(code, "static PARTS: [Part; {}] = [", forms.len())?;
    for form in forms {
        let name = append_span(&mut text, &form.name)?;
        let besides = append_span(&mut text, &form.besides)?;
        let written = append_span(&mut text, form.text)?;
        let (command, run) = (form.command, form.run);
        writeln!(
            code,
            "    Part {{ command: {command}, run: {run}, name: {name:?}, besides: {besides:?}, text: {written:?} }},"
        )?;
    }
    writeln!(code, "];")?;
    Ok((text, code))
}

/// The lists of marks, and the forms of each mark.
fn generate_marks(forms: &[CutForm<'_>]) -> Result<(String, String), Box<dyn Error>> {
    let mut marks: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        for mark in &form.marks {
            if mark.to_ascii_lowercase() != *mark {
                return Err(format!("a mark is in lower case: {mark:?}").into());
            }
            let of = marks.entry(mark).or_default();
            if of.last() != Some(&at) {
                of.push(at);
            }
        }
    }
    let lists = generate_lists("MARKS", marks.keys().copied())?;
    let (mut ends, mut all) = (vec![0], Vec::new());
    for of in marks.values() {
        all.extend(of);
        ends.push(all.len());
    }
    let unmarked: Vec<usize> =
        (0..forms.len()).filter(|at| forms.get(*at).is_some_and(|form| form.marks.is_empty())).collect();
    let mut code = String::new();
    for (what, name, numbers) in [
        ("Where the forms of each mark begin, and where those of the last end.", "MARK_ENDS", ends),
        ("The forms of all marks.", "MARK_FORMS", all),
        ("The forms without marks.", "UNMARKED", unmarked),
    ] {
        writeln!(code, "/// {what}\npub(super) static {name}: [u16; {}] = {numbers:?};", numbers.len())?;
    }
    Ok((lists, code))
}

/// The code of lists of `words`.
fn generate_lists<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> Result<String, Box<dyn Error>> {
    let BuiltLists { text, words, starts } =
        BuiltLists::of(words).ok_or_else(|| format!("{name} can't be made lists of"))?;
    Ok(format!(
        "pub(super) const {name}: WordLists = WordLists {{ text: {text:?}, words: &{words:?}, starts: &{starts:?} }};\n"
    ))
}

/// Puts `what` at the end of `text`, and says where it stands.
fn append_span(text: &mut String, what: &str) -> Result<(u32, u32), Box<dyn Error>> {
    let from = u32::try_from(text.len())?;
    text.push_str(what);
    Ok((from, u32::try_from(text.len())?))
}
