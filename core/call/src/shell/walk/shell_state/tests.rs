use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::shell::walk::redirect::Feed;

fn start() -> ShellState {
    let env = BTreeMap::new();
    ShellState::start("a line", &Surroundings { env: &env, ..Surroundings::new(Path::new("/w"), &[]) })
}

fn folder(path: &str) -> CurrentFolder {
    CurrentFolder::new(Path::new(path))
}

/// What a command may do to the place that it stands in.
#[derive(Clone, Debug)]
enum Step {
    Goes(String),
    Opens(Option<String>),
    OpensElsewhere(String),
    Defines(String),
    Writes(String),
    IsFed(Option<String>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        "/[ab]{1,2}".prop_map(Step::Goes),
        proptest::option::of("[xy]").prop_map(Step::Opens),
        "[xy]".prop_map(Step::OpensElsewhere),
        "[fg]".prop_map(Step::Defines),
        "[mn]".prop_map(Step::Writes),
        proptest::option::of("[xy]").prop_map(Step::IsFed),
    ]
}

fn feed(text: Option<String>) -> Feed {
    text.map_or(Feed::Unknown, Feed::Text)
}

fn walk(place: &mut ShellState, steps: Vec<Step>) {
    for step in steps {
        match step {
            Step::Goes(path) => place.enter_folder(folder(&path)),
            Step::Opens(text) => {
                place.open_inputs(|opened| opened.open_input(feed(text), vec!["z".to_owned()]))
            }
            Step::OpensElsewhere(text) => place.open_inputs(|opened| opened.add_descriptor_texts([text])),
            Step::Defines(name) => place.define_function(name),
            Step::Writes(name) => place.files_mut().add_written(None, name),
            Step::IsFed(text) => place.input.receive_feed(feed(text), &mut vec!["z".to_owned()]),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(step(), 0..8)
}

/// A place somewhere in a line.
fn place() -> impl Strategy<Value = ShellState> {
    steps().prop_map(|steps| {
        let mut place = start();
        walk(&mut place, steps);
        place
    })
}

/// Without what is there for all: files, and names that are functions.
fn shell_of(place: &ShellState) -> ShellState {
    ShellState { files: Rc::default(), functions: Rc::default(), ..place.clone() }
}

proptest! {
    #[test]
    fn what_a_part_does_to_its_copy_does_not_reach_the_place_around_it(before in place(), steps in steps()) {
        let around = before.clone();
        let mut there = around.held_back();
        walk(&mut there, steps);
        prop_assert_eq!(around, before);
    }

    #[test]
    fn nothing_of_a_subshell_leaves_it_but_files_and_functions(mut here in place(), steps in steps()) {
        let before = here.clone();
        let mut there = here.command_substitution("$(x)");
        walk(&mut there, steps);
        let (files, functions) = (there.files.clone(), there.functions.clone());
        here.after_subshell(there);
        prop_assert_eq!(shell_of(&here), shell_of(&before));
        prop_assert_eq!((here.files, here.functions), (files, functions));
    }

    #[test]
    fn a_guess_writes_no_file_and_leaves_the_shell_where_it_was(mut here in place(), steps in steps()) {
        let before = here.clone();
        let mut there = here.clone();
        walk(&mut there, steps);
        here.after_guess(there.clone());
        prop_assert_eq!(here, ShellState { visited: there.visited, ..before });
    }

    #[test]
    fn a_line_of_this_shell_leaves_it_as_if_it_stood_there(here in place(), steps in steps()) {
        let (mut outside, mut there) = (here.clone(), here.nested_line("x", Dialect::Sh, true));
        walk(&mut there, steps.clone());
        outside.after_line(there);
        let mut direct = here.clone();
        walk(&mut direct, steps);
        // What a text is read by one command for certain is said of that command only.
        prop_assert_eq!(outside.input.exact.clone(), here.input.exact);
        outside.input.exact.clone_from(&direct.input.exact);
        prop_assert_eq!(outside, direct);
    }

    #[test]
    fn a_compound_moves_the_shell_and_gives_its_input_back(mut here in place(), steps in steps()) {
        let input = here.input.clone();
        let mut there = here.compound_command();
        walk(&mut there, steps);
        let (moved, opened) = (there.folder.clone(), there.opened.open_count());
        here.after_compound(there, true);
        prop_assert_eq!((&here.folder, here.opened.open_count()), (&moved, opened));
        prop_assert_eq!(here.input, input);
    }

    #[test]
    fn what_another_shell_goes_to_is_not_where_this_one_is(mut here in place(), steps in steps()) {
        let before = here.folder.clone();
        let mut there = here.clone();
        walk(&mut there, steps);
        here.after_other_shell(there);
        prop_assert_eq!(here.folder, before);
    }

    #[test]
    fn what_a_branch_may_have_done_joins_and_is_neither_lost_nor_certain(one in "/[ab]", other in "/[ab]") {
        let mut here = start();
        here.enter_folder(folder(&one));
        here.merge_folder(folder(&other));
        match one == other {
            true => prop_assert_eq!(here.folder, folder(&one)),
            false => {
                prop_assert_eq!(here.folder.known_path(), None);
                let could_be: Vec<_> = here.folder.candidates().iter().map(|path| path.display().to_string()).collect();
                prop_assert_eq!(could_be, vec![one, other]);
            }
        }
    }
}

#[test]
fn behind_a_loop_the_shell_is_where_it_was_or_anywhere_it_went_and_the_loop_around_knows() {
    let mut here = start();
    here.enter_folder(folder("/outer"));
    let before = here.folder.clone();
    let mut there = here.loop_body(None);
    assert!(!there.has_moved());
    there.enter_folder(folder("/inner"));
    there.merge_loop_folders(&before);
    here.after_loop(there);
    assert!(here.folder.could_be_any());
    assert_eq!(here.folder.candidates(), [Rc::from(Path::new("/outer")), Rc::from(Path::new("/inner"))]);
    assert_eq!(here.visited, CurrentFolder::merge_optional(Some(folder("/outer")), Some(folder("/inner"))));
}

#[test]
fn the_variable_of_a_loop_is_known_in_its_body_and_in_no_line_of_another_shell() {
    let mut here = start();
    let variable = |value: &str| Variable { name: "f".to_owned(), value: value.into() };
    let outer = here.loop_body(Some(variable("outer")));
    let inner = outer.loop_body(Some(variable("inner")));
    assert_eq!(inner.loop_variable("f"), Some(&"inner".into()));
    assert_eq!(inner.command_substitution("$f").loop_variable("f"), Some(&"inner".into()));
    assert_eq!(inner.nested_line("$f", Dialect::Sh, true).loop_variable("f"), None);
    here.after_loop(outer);
    assert_eq!(here.loop_variable("f"), None);
}

#[test]
fn what_a_part_opens_for_the_shell_is_read_from_then_on_and_by_nobody_for_certain() {
    let mut here = start();
    here.input = StandardInput::from_pipe(vec!["piped".to_owned()], Some("piped".into()), None);
    let mut there = here.pipe_side(None);
    there.open_inputs(|opened| opened.open_input(Feed::Text("opened".to_owned()), Vec::new()));
    let mut subshell = here.clone();
    subshell.after_subshell(there.clone());
    assert_eq!(subshell.input, here.input);
    here.after_opening(there);
    assert_eq!((here.input.fed, &here.input.exact), (true, &None));
    assert_eq!(*here.input.texts, ["piped", "opened"]);
}

#[test]
fn a_redirection_is_no_pipe_and_hides_what_came_before() {
    let mut input = StandardInput::from_pipe(vec!["piped".to_owned()], None, None);
    let mut offered = vec!["offered".to_owned()];
    input.receive_feed(Feed::Nothing, &mut offered);
    assert_eq!((input.piped, offered.len()), (true, 1));
    input.receive_feed(Feed::Unknown, &mut offered);
    assert_eq!((input.fed, input.piped, offered.len()), (true, false, 0));
    assert_eq!(*input.texts, ["offered"]);
}
