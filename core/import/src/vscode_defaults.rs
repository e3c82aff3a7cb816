//! What VS Code asks about by itself, however broad an approval beside it is: an approval that was carried over without that would
//! allow what it asks about.

use super::regexes::split_regex;

/// The programs of its commands that are false, each with the key.
const COMMANDS: &[(&str, &str)] = &[
    ("rm", "rm"),
    ("rmdir", "rmdir"),
    ("dd", "dd"),
    ("kill", "kill"),
    ("ps", "ps"),
    ("top", "top"),
    ("curl", "curl"),
    ("wget", "wget"),
    ("chmod", "chmod"),
    ("chown", "chown"),
    ("jq", "jq"),
    ("xargs", "xargs"),
    ("eval", "eval"),
    ("column", r"/^column\b.*\s-c\s+[0-9]{4,}/"),
    ("date", r"/^date\b.*\s(-s|--set)\b/"),
    ("find", r"/^find\b.*\s-(delete|exec|execdir|fprint|fprintf|fls|ok|okdir)\b/"),
    ("rg", r"/^rg\b.*\s(--pre|--hostname-bin)\b/"),
    ("sed", r"/^sed\b.*\s(-[a-zA-Z]*(e|f)[a-zA-Z]*|--expression|--file)\b/"),
    ("sed", r"/^sed\b.*s\/.*\/.*\/[ew]/"),
    ("sort", r"/^sort\b.*\s-(o|S)\b/"),
    ("tree", r"/^tree\b.*\s-o\b/"),
];

/// Keys of its edits that are false, without those that mayi asks about by itself.
pub(super) const ASKED_FILES: &[&str] = &[
    "**/.github/agents/**",
    "**/{package.json,server.xml,build.rs,web.config,.gitattributes,.env,Cargo.toml}",
    "**/{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.js,.pnpmfile.cjs,.pnpmfile.mjs,pnpm-workspace.yaml}",
    "**/*.{code-workspace,csproj,fsproj,vbproj,vcxproj,proj,targets,props,gradle,gradle.kts}",
    "**/gradle.properties",
    "**/*.lock",
    "**/*-lock.{yaml,json}",
];

/// The key of its edits that is true: written anew, it stays before the others.
pub(super) const EVERY_FILE: &str = "**/*";

/// The commands that something among `approved` could be about, each with its key.
pub(super) fn asked_commands<'a>(
    approved: &'a [&str],
) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    let is_about = |approval: &str, program: &str| match split_regex(approval) {
        // One that is not understood was not carried over.
        Some((source, _)) => regex::Regex::new(source)
            .is_ok_and(|regex| regex.is_match(program) || regex.is_match(&format!("{program} x"))),
        None => approval.split(' ').next() == Some(program),
    };
    let asked = move |program: &str| approved.iter().any(|approval| is_about(approval, program));
    COMMANDS.iter().copied().filter(move |(program, _)| asked(program))
}
