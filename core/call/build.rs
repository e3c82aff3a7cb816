//! Cuts the table of programs into entries, and puts their names in order: a process that decides about one call would else do
//! that each time.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

#[path = "src/shell/program/cut.rs"]
mod cut;

use cut::{Said, Table};

/// Where the table is.
const PROGRAMS: &str = "src/shell/programs";

fn main() -> Result<(), Box<dyn Error>> {
    for path in [PROGRAMS, "src/shell/program/cut.rs", "build.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let mut files = Vec::new();
    for file in std::fs::read_dir(PROGRAMS)? {
        let path = file?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a name that is no text")?;
            files.push((name.to_owned(), std::fs::read_to_string(&path)?));
        }
    }
    files.sort();
    let table = Table::of(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    if !table.wrong.is_empty() {
        return Err(table.wrong.join("\n").into());
    }
    let (text, code) = generate_table(&table, &files)?;
    let out = std::env::var_os("OUT_DIR").ok_or("cargo says where")?;
    std::fs::write(Path::new(&out).join("programs.txt"), text)?;
    std::fs::write(Path::new(&out).join("programs.rs"), code)?;
    Ok(())
}

/// The text of all entries and names, and where each stands in it. Places are numbers, and no references: the loader would have
/// to write each of those anew.
fn generate_table(table: &Table<'_>, files: &[(String, String)]) -> Result<(String, String), Box<dyn Error>> {
    let (mut text, mut code) = (String::new(), String::new());
    let fields: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    writeln!(code, "pub(super) static FIELDS: [&str; {}] = {fields:?};", fields.len())?;
    writeln!(code, "pub(super) static PROGRAMS: [ProgramEntry; {}] = [", table.entries.len())?;
    for entry in &table.entries {
        let name = append_span(&mut text, entry.name)?;
        let mut said = String::new();
        for (key, value) in &entry.said {
            match value {
                Said::Is(is) => write!(said, "{key}\u{1f}{}\u{1e}", if *is { '+' } else { '-' })?,
                Said::Text(text) => write!(said, "{key}\u{1f}\"{text}\u{1e}")?,
            }
        }
        let said = append_span(&mut text, &said)?;
        let field = fields.iter().position(|field| *field == entry.field).ok_or("a field of no file")?;
        let has_subs = entry.has_subs;
        writeln!(
            code,
            "    ProgramEntry::new(Part {{ name: {name:?}, said: {said:?}, field: {field}, has_subs: {has_subs} }}),"
        )?;
    }
    writeln!(code, "];\npub(super) static NAMES: [Name; {}] = [", table.names.len())?;
    for (name, entry) in &table.names {
        let name = append_span(&mut text, name)?;
        writeln!(code, "    Name {{ name: {name:?}, entry: {entry} }},")?;
    }
    writeln!(code, "];")?;
    // Where the names with each first byte begin.
    let mut begins = Vec::new();
    for byte in 0..=256_u16 {
        let before = |name: &&String| name.bytes().next().is_none_or(|first| u16::from(first) < byte);
        begins.push(u16::try_from(table.names.keys().filter(before).count())?);
    }
    writeln!(code, "static BEGINS: [u16; {}] = {begins:?};", begins.len())?;
    Ok((text, code))
}

/// Puts `what` at the end of `text`, and says where it stands.
fn append_span(text: &mut String, what: &str) -> Result<(u32, u32), Box<dyn Error>> {
    let from = u32::try_from(text.len())?;
    text.push_str(what);
    Ok((from, u32::try_from(text.len())?))
}
