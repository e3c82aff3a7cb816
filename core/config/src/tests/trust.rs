//! "A workspace file is an attacker's until `mayi trust` was said of exactly its path and content"
//! (D5.6).

use super::{Machine, effect, put, shell, write};
use crate::{Trust, TrustState, TrustedKind, load, review_workspace, trust_file};
use mayi_policy::{Effect, Mode};

const LOOSE: &str = r#"mode = "auto"
[rules]
allow = ["shell(make *)"]
deny = ["shell(rm *)"]
[agents.claude]
command = ["./agent", "--acp"]
[servers.docs]
command = ["docs-server"]
[protection]
except = ["write(.envrc)"]
add = ["write(deploy/**)"]
"#;

impl Machine {
    /// Says `mayi trust`.
    fn trust(self) -> Self {
        let path = self.sources.workspace.clone().unwrap();
        let review = review_workspace(&self.sources, &path).unwrap();
        let folders = &self.sources.folders;
        Trust::add_file(folders, TrustedKind::Workspace, &review.place, &review.sha256).unwrap();
        self
    }
}

#[test]
fn given_trust_then_what_the_file_loosens_counts() {
    let machine = Machine::new().workspace(LOOSE).trust();
    insta::assert_snapshot!(machine.notices(), @"/work/.mayi.toml: 1 exception from protection is ignored: write what you mean into your own file");
    let loaded = machine.load();
    assert_eq!(loaded.policy.mode, Mode::Auto);
    assert_eq!(loaded.policy.rules.len(), 2);
    assert!(loaded.policy.rules.iter().all(|rule| rule.origin.layer == crate::Layer::Workspace));
    assert_eq!(loaded.agents["claude"].command.as_ref().unwrap().words(), ["./agent", "--acp"]);
    assert!(loaded.servers.contains_key("docs"));
    let cwd = &machine.sources.cwd;
    assert_eq!(effect(&loaded.policy, cwd, shell("make x")), Effect::Allow);
    assert_eq!(effect(&loaded.policy, cwd, shell("rm x")), Effect::Deny);
}

/// "A user file may add to it and except from it, a workspace file only add." Attack 81.
#[test]
fn given_trust_then_the_file_still_excepts_nothing_from_protection() {
    let machine = Machine::new().workspace(LOOSE).trust();
    let policy = machine.load().policy;
    let cwd = &machine.sources.cwd;
    assert_eq!(effect(&policy, cwd, write(cwd, ".envrc")), Effect::Ask);
    assert_eq!(effect(&policy, cwd, write(cwd, "deploy/x")), Effect::Ask);
}

/// Attack 81.
#[test]
fn given_another_content_then_it_is_not_trusted_any_more() {
    let machine = Machine::new().workspace(LOOSE).trust();
    let machine = machine.workspace(&format!("{LOOSE}# more\n"));
    insta::assert_snapshot!(machine.notices(), @r#"/work/.mayi.toml: 1 allow rule, 1 exception from protection, the command of claude, the server docs and `mode = "auto"` are ignored: the file has changed since you trusted it; look at it, then say `mayi trust`"#);
    assert_eq!(machine.load().policy.mode, Mode::Default);
    // Back to what was trusted.
    assert_eq!(machine.workspace(LOOSE).load().policy.mode, Mode::Auto);
}

/// Attack 81.
#[test]
fn given_the_same_content_at_another_place_then_it_is_not_trusted() {
    let machine = Machine::new().workspace(LOOSE).trust();
    let other = machine.sources.cwd.join("sub/.mayi.toml");
    put(&other, LOOSE);
    let trust = Trust::read(&machine.sources.folders).unwrap();
    assert_eq!(trust.workspace_file(&other), TrustState::Unknown);
    let mut sources = machine.sources.clone();
    sources.workspace = Some(other);
    assert_eq!(load(&sources).unwrap().policy.mode, Mode::Default);
}

/// Attack 81.
#[cfg(unix)]
#[test]
fn given_a_link_in_the_place_of_the_file_then_it_is_not_trusted() {
    let machine = Machine::new().workspace(LOOSE).trust();
    let path = machine.sources.workspace.clone().unwrap();
    let aside = machine.sources.cwd.join("aside.toml");
    std::fs::rename(&path, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &path).unwrap();
    assert_eq!(machine.load().policy.mode, Mode::Default);
    assert!(machine.notices().ends_with("the file is a link, and `mayi trust` follows none"));
    let error = review_workspace(&machine.sources, &path).unwrap_err();
    assert!(error.to_string().contains("is a link"), "{error}");
}

/// Only "except locks": what a managed file locks stays locked. Attack 81.
#[test]
fn given_trust_then_a_lock_holds() {
    let managed = "mode = \"default\"\nlock = [\"mode\", \"agents.*.bypass_permissions\"]\n";
    let text = "mode = \"auto\"\n[agents.claude]\nbypass_permissions = true\n";
    let machine = Machine::new().managed(managed).workspace(text);
    let review = review_workspace(&machine.sources, machine.sources.workspace.as_deref().unwrap()).unwrap();
    assert_eq!(review.looser, Vec::<String>::new());
    assert_eq!(review.ignored.len(), 2);
    let machine = machine.trust();
    assert_eq!(machine.load().policy.mode, Mode::Default);
    assert!(machine.notices().contains("locks it"), "{}", machine.notices());
}

/// Whoever can't look can't trust: everything that would count is shown.
#[test]
fn given_a_file_then_the_review_names_everything_that_it_loosens() {
    let machine = Machine::new().workspace(
        "readers = true\nmode = \"plan\"\n[[rule]]\neffect = \"allow\"\npattern = \"shell(x *)\"\nunless = \"shell(x rm)\"\nagents = [\"claude\"]\n[[rule]]\neffect = \"ask\"\npattern = \"shell(y)\"\nalways = false\n[agents.claude]\nenv = { A = \"b\" }\nbypass_permissions = true\n[servers.s]\nurl = \"https://example.com/\"\nheaders = { Token = \"secret\" }\napproval = \"not_required\"\n",
    );
    let review = review_workspace(&machine.sources, machine.sources.workspace.as_deref().unwrap()).unwrap();
    insta::assert_snapshot!(review.looser.join("\n"), @r#"
    allows shell(x *), unless shell(x rm), for claude  (line 5)
    asks, but not in mode auto nor for bypassed agents: shell(y)  (line 10)
    gives claude the variable A=b
    reaches the server s at https://example.com/, with the headers Token
    sets `bypass_permissions = true` of claude
    sets `approval = "not_required"` of s
    "#);
}

/// Attack 2: what an agent writes in the place of the list is not believed if others could have written
/// it, and a damaged list trusts nothing.
#[cfg(unix)]
#[test]
fn given_a_list_that_is_damaged_or_not_the_users_own_then_nothing_is_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new().workspace(LOOSE).trust();
    let list = trust_file(&machine.sources.folders).unwrap();
    assert_eq!(list.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let mode = |mode| std::fs::set_permissions(&list, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o666);
    assert_eq!(machine.load().policy.mode, Mode::Default);
    assert!(machine.notices().contains("nothing is trusted"), "{}", machine.notices());
    mode(0o600);
    assert_eq!(machine.load().policy.mode, Mode::Auto);
    for text in ["{", "", "[]", "{\"version\":2,\"trusted\":[]}"] {
        std::fs::write(&list, text).unwrap();
        assert_eq!(machine.load().policy.mode, Mode::Default, "{text}");
        assert!(machine.notices().contains("nothing is trusted"), "{text}");
        let place = machine.sources.workspace.clone().unwrap();
        assert!(
            Trust::add_file(&machine.sources.folders, TrustedKind::Workspace, &place, "0").is_err(),
            "{text}"
        );
    }
}

#[test]
fn given_several_files_then_each_is_revoked_by_itself() {
    let machine = Machine::new().workspace(LOOSE).trust();
    let folders = &machine.sources.folders;
    let other = machine.sources.cwd.join("tool");
    Trust::add_file(folders, TrustedKind::Program, &other, "00").unwrap();
    Trust::add_file(folders, TrustedKind::Program, &other, "11").unwrap();
    let files = Trust::read(folders).unwrap();
    assert_eq!(files.files().len(), 2);
    let place = files.files()[0].path.clone();
    assert!(Trust::revoke(folders, &place).unwrap());
    assert!(!Trust::revoke(folders, &place).unwrap());
    assert_eq!(machine.load().policy.mode, Mode::Default);
    assert_eq!(Trust::read(folders).unwrap().files().len(), 1);
}
