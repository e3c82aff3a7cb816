//! Values that end at their last digit: the letters behind are options again (D2.31).

use super::super::form::ValueCount;
use super::super::table::{OptionStyle, ProgramKind, ProgramTable};
use super::look;
use super::swallowed::danger;

/// D2.31: what a program reads as a number ends with its last digit and its unit.
/// Attack 594.
#[test]
fn given_letters_behind_a_number_then_they_are_options() {
    for (line, written) in [
        ("zstd -dc -T1o .git/x a.zst", ".git/x"),
        ("zstd -dcT1fo .env a.zst", ".env"),
        ("unzstd -c -T1fo .env a.zst", ".env"),
        ("zstd -c -T1fo b a", "b"),
        ("zstd -dc -vT2o b a.zst", "b"),
        ("zstd -dc -TKo b a.zst", "b"),
        ("zstd -dc -T1KiBo b a.zst", "b"),
        ("zstd -dc -M128MBo b a.zst", "b"),
        ("zstd -dc -B1o b a.zst", "b"),
        ("zstd -dc -3o b a.zst", "b"),
        ("zstd -dc -of b a.zst", "b"),
        ("zstd -dc -oT1f b a.zst", "b"),
        ("zstd -dc -o=b a.zst", "b"),
    ] {
        let known = look(line);
        let names = |path: &str| known.writes.iter().any(|(_, own)| own == path);
        assert!(!known.reader && names(written), "{line}: {:?}", known.writes);
    }
    for line in [
        "zstd -l -Tz f",
        "zstd -t -T0z f",
        "zstd -tT0z f",
        "zstd -l -T1d a.zst",
        "unzstd -t -T0d a.zst",
        "xz -t -T0d a.xz",
        "shasum -a256c list",
        "shasum -a1c list",
        "shasum -ba256c list",
        "shasum -a+256c list",
        "shasum -a2_56c list",
        "ack -A1x SECRET",
        "ack -Ax SECRET",
        "ack -B1x SECRET",
        "ack -C1_0x SECRET",
        "ack -A-1x SECRET",
        "ack -iA3x .",
        "ack -A1B2x .",
        "ack -A1zx .",
    ] {
        assert!(!look(line).reader, "{line}");
    }
    for line in [
        "zstd -dc a.zst",
        "zstd -dc -T0 a.zst",
        "zstd -dcT0v a.zst",
        "zstd -dc -M128MiB a.zst",
        "zstd -c -19 a",
        "zstd -c19T4 a",
        "zstd -c --ultra -22 a",
        "zstd -c --threads=4 a",
        "zstd -l a.zst",
        "zstd -tqT2 a.zst",
        "unzstd -c a.zst",
        "unzstd -dc a.zst",
        "shasum -a 256 f",
        "shasum -a256 f",
        "shasum -a256b f",
        "shasum -ba512 f",
        "ack -A1 foo",
        "ack -A 1 foo",
        "ack -A1i foo",
        "ack -C3 -i foo",
        "ack -iC2 foo",
        "tree -L2 src",
        "tree -L2a src",
        "xz -dc -T0 a.xz",
        "head -c10k f",
        "grep -A3 x f",
        "rg -A1 x f",
        "sort -k2n f",
        "cut -d1 -f2 f",
    ] {
        assert!(look(line).reader, "{line}: {:?}", look(line).caveats);
    }
}

/// The same for every program of which it is not known that it reads the whole value: what an option with effects would be
/// behind letters, it is behind a number. Attack 594.
#[test]
fn given_an_option_with_effects_behind_a_number_then_it_is_asked_about() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for (name, program) in ProgramTable::get().all_programs() {
        let form = program.form();
        let plain = form.kind == ProgramKind::Plain
            && matches!(form.style, OptionStyle::Gnu | OptionStyle::Letters)
            && !form.options.contains_key("--")
            && form.reader;
        let letters =
            || form.options.iter().filter(|(option, _)| option.len() == 2 && option.starts_with('-'));
        for (valued, known) in letters().filter(|_| plain) {
            if known.takes != ValueCount::One
                || form.always_takes_value(valued)
                || known.meaning.is_dangerous()
            {
                continue;
            }
            for (danger, _) in letters().filter(|(_, known)| danger(known)) {
                let letter = danger.trim_start_matches('-');
                for number in ["1", "10", "-1", "+2"] {
                    let line = format!("{name} {valued}{number}{letter} x y");
                    seen += 1;
                    if look(&line).reader || look(&line).caveats.is_empty() {
                        wrong.push(line);
                    }
                }
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}
