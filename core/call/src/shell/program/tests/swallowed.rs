//! Values that could be options, for every program of the table.

use super::super::form::{OptionMeaning, OptionSpec as Option_, ValueCount};
use super::super::table::{OptionStyle, ProgramKind, ProgramTable};
use super::{look, words};
use crate::shell::Word;

/// As many options of each sort are tried with each other, of one program.
const MOST: usize = 12;

pub(super) fn danger(known: &Option_) -> bool {
    known.meaning.is_dangerous()
        && !matches!(
            known.meaning,
            OptionMeaning::Data | OptionMeaning::AtFile | OptionMeaning::Evaluates | OptionMeaning::Line
        )
}

/// D2.31: A word that an option takes as its value, and that would itself be an option
/// with effects for that program, counts as that option too.
/// Attack 210.
#[test]
fn given_an_option_with_effects_as_the_value_of_another_then_it_is_asked_about() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for (name, program) in ProgramTable::get().all_programs() {
        let form = program.form();
        let plain = form.kind == ProgramKind::Plain
            && matches!(form.style, OptionStyle::Gnu | OptionStyle::Single | OptionStyle::Letters);
        // What `--` is to these, a command follows.
        if !plain || form.options.contains_key("--") || !form.caveat.is_empty() {
            continue;
        }
        let valued = form.options.iter().filter(|(option, known)| {
            known.takes == ValueCount::One && option.starts_with('-') && !danger(known)
        });
        let dangers: Vec<_> =
            form.options.iter().filter(|(option, known)| option.starts_with('-') && danger(known)).collect();
        for (option, _) in valued.take(MOST) {
            for (danger, known) in dangers.iter().take(MOST) {
                let value = if known.takes == ValueCount::Nothing { "" } else { " x" };
                let line = format!("{name} {option} {danger}{value} y");
                let found = look(&line);
                seen += 1;
                let at = name.split(' ').count() + 1;
                let named = found.caveats.iter().any(|caveat| match &caveat.named {
                    crate::shell::CaveatSubject::Words(places) => places.contains(&at),
                    _ => caveat.always,
                });
                if found.reader || !named {
                    wrong.push(line);
                }
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Glued letters count only where all of them are options, and not where every version of a program takes
/// them for a value. Attack 210.
#[test]
fn given_letters_that_are_glued_to_an_option_then_they_count_where_they_could_be_options() {
    for line in ["tar -tHI ./x -f a", "tar -tbHI ./x -f a", "sort -Suo f", "tree -Lo 2 f", "tree -dPo x f"] {
        assert!(!look(line).caveats.is_empty() && !look(line).reader, "{line}");
    }
    for line in [
        "sort -t: -k2 f",
        "sort -to f",
        "sort -t, -k1,1n f",
        "rg -tzig foo",
        "awk -F: -vi=1 '{print $i}' f",
        "git log -Soutput",
        "git commit -mSome",
        "curl -XDELETE https://x.example",
        "tree -L2 src",
        "date -d '-2 weeks' +%F",
        "git commit -m '- fix'",
        "git log --since -2.weeks",
        "find . -size -10k",
    ] {
        assert_eq!(look(line).caveats, [], "{line}");
    }
}

/// A word that is several may hold an option behind the value. Attack 210.
#[test]
fn given_an_open_word_as_a_value_then_it_counts_where_it_could_be_several() {
    let mut line = words("sort -k x f");
    let open = |splits| {
        let pieces = vec![None];
        Word::Open(crate::shell::OpenWord {
            text: "$X".into(),
            pieces,
            splits,
            ..crate::shell::OpenWord::default()
        })
    };
    for splits in [true, false] {
        line[2] = open(splits);
        let known = super::analyze_command(&super::Command {
            words: &line,
            cwd: Some(std::path::Path::new("/")),
            looked: &crate::LineLookups::default(),
            repositories: &crate::shell::program::RepositoryLooks::default(),
            fed: false,
            piped: false,
            made: false,
            git_names: crate::shell::program::GitNames::AsTheyAre,
        });
        assert_eq!(!known.caveats.is_empty(), splits);
    }
}

/// D2.31: An option whose arity differs between versions of the program is judged in each.
/// Attack 211.
#[test]
fn given_an_option_whose_arity_differs_then_the_line_is_judged_in_each_reading() {
    for line in [
        "sed -l 1p '1e id' f",
        "sed -l '1e id' 1p f",
        "sed -nl 1p 'w out' f",
        "sed -i 1p 'w out' f",
        "awk -e1 'BEGIN{system(\"id\")}'",
        "awk --source=1 'BEGIN{system(\"id\")}'",
        "awk --field-separator 'BEGIN{system(\"id\")}' 1 f",
        "tar -tW use-compress-program=./x -f a",
        "tar tHf --use-compress-program=./x a",
        "git archive --prefix --exec=./x x/ HEAD",
        "git diff -L --output=f",
        "ack -C --pager=x foo",
        "base64 -i a -o b",
        "xxd -bc in out",
        "xxd -ac in out",
    ] {
        assert!(!look(line).caveats.is_empty(), "{line}");
    }
    for line in [
        "sed -l 80 -n 1p f",
        "sed -n -l 80 p f",
        "awk -e '{print}' f",
        "awk --source='{print}' f",
        "tar -tHf a",
        "ls -I target -w 80 src",
        "ack -C 2 foo",
        "xxd -bc8 f",
        "xxd -l 16 f",
    ] {
        assert!(look(line).reader, "{line}: {:?}", look(line).caveats);
    }
    // More of them than are told apart.
    assert!(look("ls -I a -w b -T c -I d x").reader);
    assert!(!look("git archive --prefix a --format b --mtime c --add-file d HEAD").reader);
}
