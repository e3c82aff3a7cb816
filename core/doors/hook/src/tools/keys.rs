//! Keys of tools' inputs, by what they are about. Data: a key that is not here is not understood.

use mayi_doors::folders::FOLDERS;
use mayi_doors::readings::LINES;

use super::ToolKind;

/// A path.
pub(super) const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "filepath",
    "path",
    "absolute_path",
    "absolutePath",
    "notebook_path",
    "notebookPath",
    "target_file",
    "targetFile",
    "target_directory",
    "dir_path",
    "directory",
    "folder",
    "uri_path",
];

/// Several paths.
pub(super) const LISTS: &[&str] = &["paths", "files", "file_paths", "filePaths"];

/// Several paths that are read, each of which may be a pattern.
pub(super) const INCLUDED: &[&str] = &["include", "includes"];

/// What else an item of those may have.
pub(super) const PART_OF_FILE: &[&str] =
    &["offset", "limit", "startLine", "endLine", "start_line", "end_line", "line_ranges", "view_range"];

/// An address.
pub(super) const URLS: &[&str] = &["url", "uri", "href"];

/// What a file holds before, and after.
pub(super) const OLD: &[&str] = &["old_string", "oldString", "old_str", "oldText"];
pub(super) const NEW: &[&str] = &[
    "new_string",
    "newString",
    "new_str",
    "newText",
    "content",
    "contents",
    "file_text",
    "new_source",
    "insert_text",
];

/// Several changes of one file, or of several.
pub(super) const EDITS: &[&str] = &["edits", "replacements"];

/// What else one of them may have.
pub(super) const PART_OF_EDIT: &[&str] = &[
    "replace_all",
    "replaceAll",
    "expected_replacements",
    "instruction",
    "explanation",
    "description",
    "insert_line",
];

/// A patch.
pub(super) const PATCHES: &[&str] = &["patch", "patchText", "patch_text", "input", "command", "diff"];

/// What else may stand there, and only says how.
fn manner_keys(does: ToolKind) -> &'static [&'static str] {
    match does {
        ToolKind::Runs => &[
            "description",
            "explanation",
            "timeout",
            "timeout_ms",
            "run_in_background",
            "is_background",
            "isBackground",
            "justification",
            "mode",
            "goal",
            "shellId",
            "env",
            "dangerouslyDisableSandbox",
            "with_escalated_permissions",
            "sandbox_permissions",
            "delay_ms",
        ],
        ToolKind::Reads => {
            &["offset", "limit", "pages", "startLine", "endLine", "start_line", "end_line", "view_range"]
        }
        ToolKind::Lists => &["ignore", "recursive", "respect_git_ignore", "file_filtering_options"],
        ToolKind::Finds => {
            &["pattern", "query", "case_sensitive", "respect_git_ignore", "maxResults", "include"]
        }
        ToolKind::Searches => &[
            "pattern",
            "query",
            "glob",
            "include",
            "include_pattern",
            "includePattern",
            "type",
            "output_mode",
            "head_limit",
            "offset",
            "multiline",
            "case_sensitive",
            "isRegexp",
            "maxResults",
            "max_results",
            "limit",
            "-A",
            "-B",
            "-C",
            "-n",
            "-i",
            "-o",
            "context",
            "names_only",
            "exclude_pattern",
        ],
        ToolKind::Writes => &["overwrite", "explanation", "create_directories"],
        ToolKind::Edits => &[
            "replace_all",
            "replaceAll",
            "expected_replacements",
            "instruction",
            "explanation",
            "cell_id",
            "cell_type",
            "edit_mode",
            "insert_line",
            "view_range",
            "command",
            "ai_proposed_content",
            "modified_by_user",
        ],
        ToolKind::Patches => &["explanation", "description"],
        ToolKind::Deletes => &["explanation", "recursive"],
        ToolKind::Fetches => {
            &["prompt", "query", "format", "timeout", "max_length", "explanation", "raw", "start_index"]
        }
        ToolKind::SearchesWeb => &[
            "query",
            "search_term",
            "allowed_domains",
            "blocked_domains",
            "explanation",
            "numResults",
            "num_results",
            "type",
            "livecrawl",
            "contextMaxCharacters",
        ],
        ToolKind::Delegates => &[
            "prompt",
            "description",
            "subagent_type",
            "subagentType",
            "agent",
            "agentName",
            "agent_name",
            "model",
            "name",
            "run_in_background",
            "readonly",
            "query",
            "task",
            "command",
            "task_id",
        ],
        ToolKind::Thinks => &[
            "todos",
            "items",
            "plan",
            "explanation",
            "thought",
            "thoughts",
            "prompt",
            "description",
            "message",
            "summary",
            "subject",
            "activeForm",
            "taskId",
            "task_id",
            "status",
            "owner",
            "addBlocks",
            "addBlockedBy",
            "metadata",
            "questions",
            "answers",
            "annotations",
            "question",
            "header",
            "options",
            "query",
            "max_results",
            "merge",
            "intent",
            "todoList",
            "operation",
            "todo",
            "title",
        ],
        ToolKind::Looks => &[
            "bash_id",
            "task_id",
            "shell_id",
            "shellId",
            "filter",
            "block",
            "timeout",
            "wait_up_to",
            "delay",
            "id",
            "session_id",
        ],
        ToolKind::SwitchesMode | ToolKind::Other => &[],
    }
}

/// Whether an input of a tool that does this may have `key`, and nothing follows from it that is not looked at.
pub(super) fn is_known(does: ToolKind, key: &str) -> bool {
    let is = |sets: &[&[&str]]| sets.iter().any(|set| set.contains(&key));
    let of_kind = match does {
        ToolKind::Runs => is(&[LINES, FOLDERS, &["args"]]),
        ToolKind::Reads => is(&[PATHS, LISTS, INCLUDED]),
        ToolKind::Lists | ToolKind::Finds | ToolKind::Deletes => is(&[PATHS, LISTS]),
        ToolKind::Searches => is(&[PATHS, LISTS]),
        ToolKind::Writes => is(&[PATHS, NEW]),
        ToolKind::Edits => is(&[PATHS, OLD, NEW, EDITS]),
        ToolKind::Patches => is(&[PATCHES]),
        ToolKind::Fetches => is(&[URLS, &["urls"]]),
        ToolKind::SearchesWeb | ToolKind::Delegates | ToolKind::Thinks | ToolKind::Looks => false,
        // Whatever else it holds is no reason to ask twice.
        ToolKind::SwitchesMode | ToolKind::Other => true,
    };
    of_kind || manner_keys(does).contains(&key)
}
