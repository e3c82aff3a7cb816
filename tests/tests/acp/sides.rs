//! `fs/*` and `terminal/*`: judged here, carried out by the editor.

use serde_json::json;

use crate::scene::{Scene, machine, options, outcome, wants};

/// `fs/*` and `terminal/*` without a covering approval are asked about. Attack 401.
#[test]
fn given_a_file_to_write_without_an_approval_then_it_is_asked_about_and_then_goes_on_as_it_came() {
    let mut scene = Scene::open(machine(), &[]);
    let path = scene.machine.work().join("new.txt");
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "fs/write_text_file", "params": {"sessionId": "s", "path": path, "content": "hello", "x": 1.5}}).to_string();
    scene.agent_says(&line);
    let question = scene.editor.until("session/request_permission");
    assert_eq!(options(&question), ["mayi-once", "mayi-session", "mayi-deny"]);
    assert!(question["params"]["toolCall"]["content"].to_string().contains("hello"), "{question}");
    scene.pick(&question, "mayi-once");
    let mut got = scene.editor.line();
    while got != line {
        assert!(!got.contains("fs/write"), "{got}");
        got = scene.editor.line();
    }
    scene.editor_answers(&json!(1), &json!(null));
    assert_eq!(scene.agent.answer(1), json!({"jsonrpc": "2.0", "id": 1, "result": null}));
    scene.agent_says(line.replace("\"id\":1", "\"id\":2").replace("hello", "other"));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    assert_eq!(scene.agent.answer(2)["error"]["code"], -32003);
}

/// A covered one is not asked about twice, and only what was announced is covered, once. Attack 401.
#[test]
fn given_an_approval_then_it_covers_just_this_text_once_and_another_one_is_asked_about() {
    let mut scene = Scene::open(machine(), &[]);
    let path = scene.machine.work().join("f.txt");
    let mut params = wants("t", "");
    params["toolCall"] = json!({"toolCallId": "t", "title": "Write", "kind": "edit", "content": [{"type": "diff", "path": path, "oldText": null, "newText": "shown"}]});
    scene.agent_asks(1, "session/request_permission", &params);
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "once");
    assert_eq!(outcome(&scene.agent.answer(1)), "once");
    let write = |content: &str| json!({"sessionId": "s", "path": path, "content": content});
    scene.agent_asks(2, "fs/write_text_file", &write("other"));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    scene.agent.answer(2);
    scene.agent_asks(3, "fs/write_text_file", &write("shown"));
    scene.editor.until("fs/write_text_file");
    scene.editor_answers(&json!(3), &json!({}));
    scene.agent.answer(3);
    scene.agent_asks(4, "fs/write_text_file", &write("shown"));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    assert_eq!(scene.agent.answer(4)["error"]["code"], -32003);
}

/// Reads are judged too, and a path that means something else to each editor is none. Attack 401.
#[test]
fn given_files_to_read_then_those_of_the_session_pass_and_protected_and_relative_ones_do_not() {
    let machine = machine().file("a.txt", "x");
    let mut scene = Scene::open(machine, &[]);
    let read = |path: &str| json!({"sessionId": "s", "path": path});
    let inside = scene.machine.work().join("a.txt");
    scene.agent_asks(1, "fs/read_text_file", &read(inside.to_str().unwrap()));
    assert_eq!(scene.editor.next()["method"], "fs/read_text_file");
    scene.editor_answers(&json!(1), &json!({"content": "x"}));
    scene.agent.answer(1);
    for (number, path) in ["a.txt", "~/x", "file:///etc/passwd", "", "./a.txt"].iter().enumerate() {
        scene.agent_asks(number + 10, "fs/read_text_file", &read(path));
        assert_eq!(scene.agent.answer(number + 10)["error"]["code"], -32602, "{path}");
    }
    let key = scene.machine.outside_text("home/.ssh/id_rsa");
    scene.agent_asks(2, "fs/read_text_file", &read(&key));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    assert_eq!(scene.agent.answer(2)["error"]["code"], -32003);
}

/// Commands are judged by their words and by what a shell could make of them; the folder that was judged is said to the editor.
#[test]
fn given_commands_then_they_are_judged_and_run_in_the_folder_that_was_judged() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_asks(
        1,
        "terminal/create",
        &json!({"sessionId": "s", "command": "cargo", "args": ["test"], "outputByteLimit": 1000}),
    );
    let passed = scene.editor.until("terminal/create");
    assert_eq!(passed["params"]["cwd"], json!(scene.machine.work()));
    assert_eq!(passed["params"]["outputByteLimit"], 1000);
    scene.editor_answers(&json!(1), &json!({"terminalId": "term-1"}));
    scene.agent.answer(1);
    scene.agent_asks(2, "terminal/create", &json!({"sessionId": "s", "command": "rm", "args": ["-rf", "x"]}));
    assert_eq!(scene.agent.answer(2)["error"]["code"], -32003);
    scene.agent_asks(
        3,
        "terminal/create",
        &json!({"sessionId": "s", "command": "cargo", "args": ["test"], "cwd": ".."}),
    );
    assert_eq!(scene.agent.answer(3)["error"]["code"], -32602);
    scene.agent_asks(
        4,
        "terminal/create",
        &json!({"sessionId": "s", "command": "cargo", "args": ["test"], "env": {"PATH": "."}}),
    );
    assert_eq!(scene.agent.answer(4)["error"]["code"], -32602);
    scene.agent_asks(
        6,
        "terminal/create",
        &json!({"sessionId": "s", "command": "cargo", "args": "test; rm x"}),
    );
    assert_eq!(scene.agent.answer(6)["error"]["code"], -32602);
    scene.agent_asks(5, "terminal/create", &json!({"sessionId": "s", "command": "cargo", "args": ["test"], "env": [{"name": "PATH", "value": "."}]}));
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    assert_eq!(scene.agent.answer(5)["error"]["code"], -32003);
}

/// Attack 409: words that an editor hands to a shell without quoting them.
#[test]
fn given_words_that_a_shell_would_take_for_more_commands_then_these_count_too() {
    let mut scene = Scene::open(machine(), &["--allow", "shell(echo *)"]);
    for (number, args) in
        [json!(["hi; rm -rf x"]), json!(["$(rm -rf x)"]), json!(["a", "&&", "rm", "x"])].iter().enumerate()
    {
        scene.agent_asks(
            number,
            "terminal/create",
            &json!({"sessionId": "s", "command": "echo", "args": args}),
        );
        assert_eq!(scene.agent.answer(number)["error"]["code"], -32003, "{args}");
    }
    scene.agent_asks(9, "terminal/create", &json!({"sessionId": "s", "command": "echo", "args": ["hi"]}));
    scene.editor.until("terminal/create");
}

/// Attack 490: a folder `git status .` with a program in it, for an editor that takes all of the command for a file's name.
#[test]
fn given_a_line_that_is_a_files_name_too_then_a_reader_of_that_name_is_asked_about() {
    let machine = machine().file("git status ./evil", "#!/bin/sh\ntouch pwned\n").file("src/evil", "");
    let mut scene = Scene::open(machine, &[]);
    scene.agent_asks(50, "terminal/create", &json!({"sessionId": "s", "command": "ls", "args": ["src"]}));
    assert_eq!(scene.editor.next()["method"], "terminal/create");
    for (number, command) in
        ["git status ./evil", "ls src/evil", "ls\tsrc", "cat src/evil"].iter().enumerate()
    {
        scene.agent_asks(
            number,
            "terminal/create",
            &json!({"sessionId": "s", "command": command, "args": []}),
        );
        let question = scene.editor.next();
        assert_eq!(question["method"], "session/request_permission", "{question}");
        scene.pick(&question, "mayi-deny");
        assert_eq!(scene.agent.answer(number)["error"]["code"], -32003);
        scene.editor.until("session/update");
    }
    // A rule that denies the line denies it here.
    scene.agent_asks(51, "terminal/create", &json!({"sessionId": "s", "command": "rm -rf x"}));
    assert_eq!(scene.agent.answer(51)["error"]["code"], -32003);
}

/// Attack 491: `bash -c LINE`, for an editor that puts the words behind each other without quotes: it runs the line's first word.
#[test]
fn given_a_line_of_a_shell_among_words_then_what_is_left_of_it_without_quotes_counts_too() {
    let mut scene = Scene::open(machine(), &[]);
    for (number, line) in ["make --version", "./configure --help"].iter().enumerate() {
        let params = json!({"sessionId": "s", "command": "bash", "args": ["-c", line]});
        scene.agent_asks(number, "terminal/create", &params);
        let question = scene.editor.until("session/request_permission");
        scene.pick(&question, "mayi-deny");
        assert_eq!(scene.agent.answer(number)["error"]["code"], -32003);
    }
}

/// An approved line is not asked about a second time where no file is called like it; where one is, it is. Attack 490.
#[test]
fn given_an_approved_line_then_its_terminal_is_covered_unless_a_file_is_called_so() {
    let machine = machine().file("make x/evil", "");
    let mut scene = Scene::open(machine, &[]);
    for (number, line) in ["make all", "make x/evil"].iter().enumerate() {
        scene.agent_wants(number, line, line);
        let question = scene.editor.until("session/request_permission");
        scene.pick(&question, "once");
        scene.agent.answer(number);
        scene.agent_asks(number + 10, "terminal/create", &json!({"sessionId": "s", "command": line}));
        let next = scene.editor.next();
        let asks = next["method"] == "session/request_permission";
        assert_eq!(asks, number == 1, "{next}");
    }
}

/// An approved command is not asked about a second time when it is started in the editor's terminal.
#[test]
fn given_an_approved_command_then_its_terminal_is_covered_once() {
    let mut scene = Scene::open(machine(), &[]);
    scene.agent_wants(1, "t", "make all");
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "once");
    scene.agent.answer(1);
    let create = json!({"sessionId": "s", "command": "make", "args": ["all"]});
    scene.agent_asks(2, "terminal/create", &create);
    assert_eq!(scene.editor.until("terminal/create")["id"], 2);
    scene.editor_answers(&json!(2), &json!({"terminalId": "x"}));
    scene.agent.answer(2);
    scene.agent_asks(3, "terminal/create", &create);
    let question = scene.editor.until("session/request_permission");
    scene.pick(&question, "mayi-deny");
    assert_eq!(scene.agent.answer(3)["error"]["code"], -32003);
}

/// Attack 402: a terminal of the person's own, or of another session.
#[test]
fn given_a_terminal_that_was_not_created_through_the_gate_in_this_session_then_it_is_out_of_reach() {
    let mut scene = Scene::open(machine(), &[]);
    scene.session("other");
    scene.agent_asks(1, "terminal/create", &json!({"sessionId": "s", "command": "cargo", "args": ["test"]}));
    scene.editor.until("terminal/create");
    scene.editor_answers(&json!(1), &json!({"terminalId": "term-1"}));
    scene.agent.answer(1);
    let mut id = 10;
    for method in ["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"] {
        for (session, terminal) in [("other", "term-1"), ("s", "persons-own"), ("nobody", "term-1")] {
            id += 1;
            scene.agent_asks(id, method, &json!({"sessionId": session, "terminalId": terminal}));
            assert_eq!(scene.agent.answer(id)["error"]["code"], -32602, "{method} {session} {terminal}");
        }
    }
    for (id, method) in [(50, "terminal/output"), (51, "terminal/release")] {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"sessionId": "s", "terminalId": "term-1"}}).to_string();
        scene.agent_says(&line);
        assert_eq!(scene.editor.line(), line);
        scene.editor_answers(&json!(id), &json!({}));
        scene.agent.answer(id);
    }
    scene.agent_asks(52, "terminal/output", &json!({"sessionId": "s", "terminalId": "term-1"}));
    assert_eq!(scene.agent.answer(52)["error"]["code"], -32602);
}

/// Attack 443: a path that an editor which decodes it takes for another one. Both are judged, and the stricter counts.
#[test]
fn given_a_path_with_escapes_then_what_an_editor_would_make_of_it_counts_too() {
    let mut scene = Scene::open(machine(), &["--deny", "read(**/.ssh/**)"]);
    let work = scene.machine.work();
    let (work, up) = (work.to_str().unwrap(), "%2e%2e/".repeat(12));
    let key = scene.machine.outside_text("home/.ssh/id_rsa");
    let mut id = 0;
    for path in [
        format!("{work}/{up}{}", key.trim_start_matches('/')),
        format!("{work}/{}{}", up.replace('%', "%25"), key.trim_start_matches('/')),
        key.replace(".ssh", "%2Essh"),
        format!("{key}#x"),
        format!("{key}?x"),
    ] {
        id += 1;
        scene.agent_asks(id, "fs/read_text_file", &json!({"sessionId": "s", "path": path}));
        assert_eq!(scene.agent.answer(id)["error"]["code"], -32003, "{path}");
    }
    scene.agent_asks(50, "fs/read_text_file", &json!({"sessionId": "s", "path": format!("{work}/a%00b")}));
    assert_eq!(scene.agent.answer(50)["error"]["code"], -32602);
    scene.agent_asks(51, "fs/read_text_file", &json!({"sessionId": "s", "path": format!("{work}/100%.txt")}));
    assert_eq!(scene.editor.until("fs/read_text_file")["id"], 51);
}

/// Attack 520: an editor that starts a program writes `NAME=VALUE`: what is in the name sets another variable, one that was not judged.
#[test]
fn given_a_variable_that_could_be_another_one_then_nothing_is_started() {
    let mut scene = Scene::open(machine(), &["--mode", "auto", "--allow", "shell(*)"]);
    let create =
        |env: serde_json::Value| json!({"sessionId": "s", "command": "cargo", "args": ["test"], "env": env});
    let one = |name: &str| json!([{"name": name, "value": "x"}]);
    let twice = json!([{"name": "RUST_LOG", "value": "a"}, {"name": "RUST_LOG", "value": "b"}]);
    let odd = ["", "LD_PRELOAD=/w/evil.so:", "A;touch pwned;B", "A\nB"].map(one);
    for (number, env) in odd.into_iter().chain([twice]).enumerate() {
        scene.agent_asks(number, "terminal/create", &create(env.clone()));
        assert_eq!(scene.agent.answer(number)["error"]["code"], -32602, "{env}");
    }
    scene.nothing_for_editor();
    scene.agent_asks(50, "terminal/create", &create(one("RUST_LOG")));
    assert_eq!(scene.editor.until("terminal/create")["params"]["env"], one("RUST_LOG"));
    // Where the agent starts it by itself, it is asked about as what it sets, whatever the mode.
    let mut wants = crate::scene::wants("t", "cargo test");
    wants["toolCall"]["rawInput"]["env"] = json!({"LD_PRELOAD=/w/evil.so:": "x"});
    scene.agent_asks(51, "session/request_permission", &wants);
    let question = scene.editor.until("session/request_permission");
    assert!(question.to_string().contains("LD_PRELOAD"), "{question}");
    scene.pick(&question, "no");
    assert_eq!(crate::scene::outcome(&scene.agent.answer(51)), "no");
}
