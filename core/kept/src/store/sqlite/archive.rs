//! Archives of entries: a file of JSON lines, one an entry, with all of its columns.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use super::folder::{self, OpenMode, name};
use super::{check, error};
use crate::record::{
    Anchor, Cell, ChainChecker, Key, Link, MAC, Mac, PREV, RecordFault, RecordFinding, RecordPlace,
    decode_hex, encode_hex,
};
use crate::store::StoreError;

/// A longer line is no entry of mayi's, in bytes.
const LONGEST: u64 = 256 * 1024 * 1024;

/// The file of the entries from `first` to `last`.
pub(super) fn path(folder: &Path, first: u64, last: u64) -> PathBuf {
    folder.join(name::ARCHIVE).join(format!("record-{first}-{last}.jsonl"))
}

/// Writes the entries up to `last` to a file of their own, to stay. Returns how many there were, and the seal of the last.
pub(super) fn write(
    folder: &Path,
    connection: &Connection,
    first: u64,
    last: u64,
) -> Result<(u64, Link), StoreError> {
    let path = path(folder, first, last);
    let place = folder.join(name::ARCHIVE);
    let failed = |error: io::Error| error::from_io(&path, &error);
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&place).map_err(failed)?;
    let mut writer = io::BufWriter::new(file.as_file_mut());
    let (mut entries, mut seal, mut outcome) = (0, Mac::NONE, Ok(()));
    check::for_each_row(connection, i64::MIN, last, |row| {
        entries += 1;
        let mac = row.iter().find(|(name, _)| *name == MAC).map(|(_, cell)| *cell);
        seal = if let Some(Cell::Blob(bytes)) = mac { Mac::from_bytes(bytes) } else { None }
            .unwrap_or(Mac::NONE);
        if outcome.is_ok() {
            outcome = writer.write_all(entry_line(row).as_bytes());
        }
    })
    .map_err(|error| error::from_sqlite(&folder.join(name::STORE), error))?;
    outcome.and_then(|()| writer.flush()).map_err(failed)?;
    drop(writer);
    file.as_file().sync_all().map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    folder::sync_folder(&place).map_err(failed)?;
    Ok((entries, Link { seq: last, mac: seal }))
}

/// An entry as a line. Seals are hexadecimal digits; what no entry of mayi's holds is spelled out with its type.
fn entry_line(row: &[(&str, Cell<'_>)]) -> String {
    let value = |name: &str, cell: &Cell<'_>| match cell {
        Cell::Null => Value::Null,
        Cell::Integer(number) => json!(number),
        Cell::Real(bits) => json!({ "real": bits }),
        Cell::Text(text) => match std::str::from_utf8(text) {
            Ok(text) if !is_seal_column(name) => json!(text),
            _ => json!({ "text": encode_hex(text) }),
        },
        Cell::Blob(bytes) if is_seal_column(name) => json!(encode_hex(bytes)),
        Cell::Blob(bytes) => json!({ "blob": encode_hex(bytes) }),
    };
    let object: Map<String, Value> =
        row.iter().map(|(name, cell)| ((*name).to_owned(), value(name, cell))).collect();
    format!("{}\n", Value::Object(object))
}

fn is_seal_column(name: &str) -> bool {
    name == MAC || name == PREV
}

/// A value of a line, with bytes of its own.
enum LineValue {
    Cell(Cell<'static>),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

fn read_value(name: &str, value: &Value) -> Option<LineValue> {
    let of = |key: &str| value.get(key)?.as_str().and_then(decode_hex);
    match value {
        Value::Null => Some(LineValue::Cell(Cell::Null)),
        Value::Number(number) => number.as_i64().map(|number| LineValue::Cell(Cell::Integer(number))),
        Value::String(text) if is_seal_column(name) => decode_hex(text).map(LineValue::Blob),
        Value::String(text) => Some(LineValue::Text(text.clone().into_bytes())),
        Value::Object(object) => match object.get("real") {
            Some(bits) => bits.as_u64().map(|bits| LineValue::Cell(Cell::Real(bits))),
            None => of("text").map(LineValue::Text).or_else(|| of("blob").map(LineValue::Blob)),
        },
        Value::Bool(_) | Value::Array(_) => None,
    }
}

/// Goes through the archive of `anchor`; `None`: it is not there.
pub(super) fn check_archive(
    folder: &Path,
    key: &Key,
    anchor: &Anchor,
    progress: &mut dyn FnMut(u64),
) -> Option<Vec<RecordFinding>> {
    let path = path(folder, anchor.first, anchor.last.seq);
    let place = RecordPlace::Archive(path.clone());
    let unreadable = |reason: String| {
        let what = RecordFault::Unreadable { reason };
        vec![RecordFinding { from: anchor.first, to: anchor.last.seq, place: place.clone(), what }]
    };
    let file = match folder::open(&path, OpenMode::Read) {
        Ok(Some(file)) => file,
        Ok(None) => return None,
        Err(error) => return Some(unreadable(error.to_string())),
    };
    let mut checker = ChainChecker::new(key.clone(), place.clone(), anchor.link_before(), Some(anchor.last));
    let more = match check_lines(file, &mut checker, anchor.last.seq, progress) {
        Ok(more) => more,
        Err(error) => return Some(unreadable(error.to_string())),
    };
    let (mut findings, _) = checker.finish();
    if more {
        let after = anchor.last.seq.saturating_add(1);
        findings.push(RecordFinding { from: after, to: after, place, what: RecordFault::Added });
    }
    Some(findings)
}

/// Gives every line to the checker; whether there are more than there should be.
fn check_lines(
    file: File,
    checker: &mut ChainChecker,
    last: u64,
    progress: &mut dyn FnMut(u64),
) -> io::Result<bool> {
    let mut reader = BufReader::new(file);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if (&mut reader).take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(false);
        }
        if checker.position().seq >= last {
            return Ok(true);
        }
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let object: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let values: Vec<(&str, Option<LineValue>)> =
            object.iter().map(|(name, value)| (name.as_str(), read_value(name, value))).collect();
        let mut row = Vec::with_capacity(values.len() + 1);
        for (name, value) in &values {
            row.push((
                *name,
                match value {
                    Some(LineValue::Cell(cell)) => *cell,
                    Some(LineValue::Text(text)) => Cell::Text(text),
                    Some(LineValue::Blob(bytes)) => Cell::Blob(bytes),
                    None => Cell::Null,
                },
            ));
        }
        if entry_line(&row) != text {
            // Another way to write the same is not what mayi wrote: nothing of it may pass.
            row.push(("", Cell::Text(&bytes)));
        }
        checker.check_row(&row);
        progress(1);
    }
}

/// Removes what a process left that was ended before it was done: of the entries from `first` on, any file but the one
/// up to `last`; and unfinished files. Only who holds the lock of the archives may.
pub(super) fn remove_leftovers(folder: &Path, kept: Option<(u64, u64)>) -> io::Result<()> {
    let files = match fs::read_dir(folder.join(name::ARCHIVE)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        files => files?,
    };
    for file in files {
        let file = file?;
        let name = file.file_name();
        let name = name.to_string_lossy();
        let other = kept.is_some_and(|(first, last)| {
            name.starts_with(&format!("record-{first}-")) && name != format!("record-{first}-{last}.jsonl")
        });
        if other || name.starts_with(".new-") {
            fs::remove_file(file.path())?;
        }
    }
    Ok(())
}
