//! The keys of inputs of tools that are known: data.

/// Keys that hold one path.
pub(super) const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "filepath",
    "path",
    "abs_path",
    "absolute_path",
    "absolutePath",
    "file",
    "fileName",
    "filename",
    "file_name",
    "notebook_path",
    "notebookPath",
    "target_file",
    "targetFile",
    "dir_path",
    "directory",
    "folder",
];

/// Keys that hold a patch.
pub(super) const PATCHES: &[&str] = &["input", "patch", "patchText", "patch_text", "diff"];

/// Keys that hold what is moved, in a call that moves something. Elsewhere they may hold anything: code, a table's name.
pub(super) const MOVED: &[&str] =
    &["old_path", "oldPath", "source", "source_path", "sourcePath", "src", "from"];

/// Keys of what will stand in a file.
pub(super) const WRITTEN: &[&str] = &[
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_text",
    "content",
    "contents",
    "file_text",
    "new_source",
    "insert_text",
];

/// Keys of files that are read besides, in a call that reads: elsewhere they are patterns of names.
pub(super) const INCLUDED: &[&str] = &["include", "includes"];

/// Keys that hold a new path.
pub(super) const NEW_PATHS: &[&str] = &[
    "new_path",
    "newPath",
    "destination",
    "destination_path",
    "destinationPath",
    "dest",
    "dest_path",
    "move_path",
    "to",
];

/// Keys that hold several paths.
pub(super) const LISTS: &[&str] = &["paths", "files", "file_paths", "filePaths"];

/// Keys that hold several changes.
pub(super) const CHANGES: &[&str] = &["edits", "replacements", "changes", "operations"];

/// Further keys that hold what stands or will stand in a file, or say why, and never its name.
pub(super) const TEXTS: &[&str] = &[
    "old_string",
    "oldString",
    "old_str",
    "oldText",
    "old_text",
    "text",
    "code",
    "replace",
    "replacement",
    "search",
    "find",
    "body",
    "data",
    "instruction",
    "reason",
    "title",
    "ai_proposed_content",
    "replace_all",
    "replaceAll",
    "expected_replacements",
    "unified_diff",
    "diff",
    "patch",
    "patchText",
    "patch_text",
    "input",
    "kind",
    "type",
    "insert_line",
    "operation",
];

/// What stands beside an address that is only got.
pub(super) const FETCHING: &[&str] = &[
    "url",
    "uri",
    "href",
    "urls",
    "prompt",
    "query",
    "question",
    "instructions",
    "objective",
    "goal",
    "description",
    "explanation",
    "title",
    "format",
    "mode",
    "language",
    "selector",
    "raw",
];

/// How keys end that only say in which way an address is got.
pub(super) const MANNERS: &[&str] =
    &["encoding", "engine", "format", "lang", "language", "level", "mode", "style"];

/// Keys of a call that runs a command, which say how, why, or what came of it.
pub(super) const RUNNING: &[&str] = &[
    "description",
    "explanation",
    "reason",
    "justification",
    "intent",
    "purpose",
    "goal",
    "summary",
    "label",
    "title",
    "name",
    "kind",
    "type",
    "mode",
    "status",
    "timeout",
    "timeoutMs",
    "timeout_ms",
    "timeout_seconds",
    "run_in_background",
    "runInBackground",
    "is_background",
    "isBackground",
    "background",
    "blocking",
    "login",
    "tty",
    "shellId",
    "session_id",
    "process_id",
    "started_at_ms",
    "parsed_cmd",
    "proposed_execpolicy_amendment",
    "available_decisions",
    "source",
    "interaction_input",
    "stdout",
    "stderr",
    "aggregated_output",
    "formatted_output",
];

/// Keys of what a call is, not of what it is about.
pub(super) const CALLS: &[&str] = &[
    "server",
    "tool",
    "arguments",
    "server_name",
    "request",
    "id",
    "turn_id",
    "call_id",
    "url",
    "uri",
    "href",
    "urls",
    "env",
    "args",
    "_meta",
];

/// Keys that only say how to read or search.
pub(super) const READING: &[&str] = &[
    "offset",
    "limit",
    "line",
    "lines",
    "start_line",
    "end_line",
    "pattern",
    "query",
    "glob",
    "include",
    "exclude",
    "type",
    "output_mode",
    "head_limit",
    "multiline",
    "recursive",
    "case_sensitive",
    "-A",
    "-B",
    "-C",
    "-n",
    "-i",
    "description",
    "pages",
    "respect_git_ignore",
    "file_filtering_options",
    "max_results",
    "ignore",
];

/// Keys of tools that only think, plan or hand work to a sub-agent whose own calls are judged.
pub(super) const THINKING: &[&str] = &[
    "thought",
    "thoughts",
    "plan",
    "todos",
    "items",
    "entries",
    "description",
    "prompt",
    "subagent_type",
    "explanation",
    "message",
    "task",
    "task_name",
    "thoughtNumber",
    "totalThoughts",
    "nextThoughtNeeded",
    "summary",
    "run_in_background",
    "model",
    "name",
];

/// Words that editors' tools use as `command`, beside a path.
pub(super) const EDIT_WORDS: &[&str] =
    &["view", "create", "str_replace", "insert", "undo_edit", "delete", "rename"];
