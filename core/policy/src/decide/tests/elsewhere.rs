//! What mode auto asks about: what destroys elsewhere (D4.31), and what leaves a sandbox (D4.30).

use super::*;

/// Attack 734.
#[test]
fn given_what_destroys_elsewhere_then_mode_auto_asks() {
    for line in [
        "kubectl delete ns prod",
        "kubectl delete -n prod deployment x",
        "sudo kubectl delete ns prod",
        "sh -c 'kubectl delete ns prod'",
        "echo a | xargs kubectl delete pod",
        "helm uninstall x",
        "terraform destroy -auto-approve",
        "terraform apply -destroy",
        "tofu destroy",
        "pulumi destroy --yes",
        "gh repo delete me/x --yes",
        "gh api -X DELETE repos/me/x",
        "aws s3 rb s3://b --force",
        "aws ec2 terminate-instances --instance-ids i-1",
        "aws cloudformation delete-stack --stack-name x",
        "az group delete -y",
        "az storage account delete -n x",
        "gcloud projects delete x",
        "gcloud compute instances delete x",
        "git push --force",
        "git push -f origin main",
        "git push origin main --force-with-lease",
        "git push origin +main",
        "git push origin :main",
        "git push --delete origin main",
        "git push --mirror",
        "psql -c 'DROP DATABASE prod'",
        "psql -c \"drop table x\"",
        "mysql -e 'TRUNCATE TABLE x'",
        "dropdb prod",
        "redis-cli flushall",
        "npm unpublish x --force",
        "curl -X DELETE https://api.example.com/x",
    ] {
        let decision = in_mode(&policy(&[]), &shell(line), Mode::Auto);
        assert_eq!(decision.effect, Ask, "{line}");
        assert!(!decision.always_asks(), "an allow silences it: {line}");
        let allowed = in_mode(&policy(&[(Allow, "shell(*)")]), &shell("kubectl delete ns prod"), Mode::Auto);
        assert_eq!(allowed.effect, Allow);
    }
    let mut excepted = policy(&[]);
    let pattern = Pattern::parse("shell(kubectl delete pod *)", &places()).unwrap();
    excepted.protection.add_exception(pattern, false);
    assert_eq!(in_mode(&excepted, &shell("kubectl delete pod x"), Mode::Auto).effect, Allow);
    assert_eq!(in_mode(&excepted, &shell("kubectl delete ns x"), Mode::Auto).effect, Ask);
}

/// Attack 734. D3.7, D4.31: an option in each spelling that its program knows, at any place, and any of the operands.
#[test]
fn given_what_destroys_elsewhere_in_other_spellings_then_mode_auto_asks() {
    for line in [
        "gh api repos/o/r --method DELETE",
        "gh api repos/o/r --method=DELETE",
        "gh api -XDELETE repos/o/r",
        "glab api --method DELETE projects/1",
        "glab api projects/1 -X DELETE",
        "hg push -f",
        "hg push dest --force",
        "git push origin a b +c",
        "git push origin a b :c",
        "git push -o ci.skip origin a b c d +e",
        "git push origin a $BRANCH",
        "sqlcmd -S h -U u -Q \"drop database x\"",
        "sqlcmd -S h -q \"drop database x\"",
        "cqlsh h -e 'drop keyspace x'",
        "cqlsh --execute 'drop keyspace x'",
        "cqlsh --execute='drop keyspace x'",
        "cockroach sql --execute='drop table x'",
        "clickhouse client --query 'drop table x'",
        "clickhouse-client -h h -q 'drop table x'",
        "yarn npm unpublish x",
        "terragrunt run --all destroy",
        "terragrunt run --all -- destroy",
        "terragrunt run-all destroy",
        "wget --method=DELETE https://api.example.com/x",
        "wget https://api.example.com/x --method DELETE",
        "xh DELETE api.example.com/x",
        "gcloud compute instances delete x",
        "gcloud alpha compute os-config os-policy-assignments delete x",
        "redis-cli -h h -n 3 FLUSHALL",
        "psql -c 'drop/**/table x'",
        "psql -c 'drop /* all of */ table x'",
        "psql -h h -tc 'DROP\tTABLE x'",
        "psql --command='drop -- all of it\ntable x'",
        "mysql -e'truncate\ntable x'",
    ] {
        let decision = in_mode(&policy(&[]), &shell(line), Mode::Auto);
        assert_eq!(decision.effect, Ask, "{line}");
        assert!(!decision.always_asks(), "an allow silences it: {line}");
    }
}

/// Looking through many words for one of them costs a bounded number of steps, and tells no other command apart by their number.
#[test]
fn given_a_command_with_many_words_then_it_is_no_other_command_for_that() {
    let many = "file ".repeat(4_000);
    let decision = in_mode(&policy(&[]), &shell(&format!("git add {many}")), Mode::Auto);
    let elsewhere = |finding: &Finding| format!("{finding:?}").contains("beyond recall");
    assert!(!decision.trail.iter().any(elsewhere));
}

/// To publish is not to destroy, and what can be made again here is not elsewhere.
#[test]
fn given_what_destroys_nothing_elsewhere_then_mode_auto_lets_it_run() {
    for line in [
        "npm publish",
        "cargo publish",
        "git push",
        "git push -u origin feature",
        "git push origin main:main",
        "git push origin a b c d",
        "gh api repos/o/r --method GET",
        "glab api projects/1",
        "hg push -r tip",
        "cqlsh h -e 'select 1'",
        "clickhouse client --query 'select 1'",
        "sqlcmd -S h -Q 'select 1'",
        "terragrunt run --all plan",
        "wget --method=GET https://example.com",
        "kubectl get pods",
        "kubectl apply -f x.yaml",
        "terraform apply",
        "terraform plan -destroy",
        "aws s3 ls",
        "aws s3 cp a s3://b/a",
        "gh pr create",
        "gh repo view",
        "az group list",
        "gcloud compute instances list",
        "psql -c 'select 1'",
        "curl https://example.com",
        "rm notes.txt",
    ] {
        assert_eq!(in_mode(&policy(&[]), &shell(line), Mode::Auto).effect, Allow, "{line}");
    }
}

/// It yields to a bypass, as what is asked about plainly does, and mode default asks anyhow.
#[test]
fn given_a_bypass_then_what_destroys_elsewhere_is_allowed() {
    let bypassed =
        SessionStanding { mode: Mode::Default, bypass: true, grants: &Grants::default(), servers: passed() };
    assert_eq!(decide(&policy(&[]), &shell("kubectl delete ns prod"), &bypassed).effect, Allow);
    assert_eq!(in_mode(&policy(&[]), &shell("kubectl delete ns prod"), Mode::Default).effect, Ask);
}

/// D4.30. Attack 730.
#[test]
fn given_a_request_to_leave_the_sandbox_then_it_is_asked_about_at_every_door() {
    let allows = policy(&[(Allow, "*"), (Allow, "shell(*)"), (Allow, "mcp(s/*)")]);
    let leaves = json!({ "command": "npm test", "dangerouslyDisableSandbox": true });
    let stays = json!({ "command": "npm test", "dangerouslyDisableSandbox": false, "sandbox_permissions": "use_default" });
    let of_server = |tool: &str, arguments: &Value| {
        call(Access::Mcp(McpAccess::new(vec![("s".into(), tool.into())], arguments.clone(), Path::new("/w"))))
    };
    let calls = |input: &Value| {
        let made = [shell("npm test"), of_server("bash", input), of_server("x", input)];
        made.map(|call| Call { raw_input: input.clone(), ..call })
    };
    let grants = Grants::default();
    let bypassed = |mode| SessionStanding { mode, bypass: true, grants: &grants, servers: passed() };
    for (call, kept) in calls(&leaves).iter().zip(calls(&stays)) {
        for mode in [Mode::Auto, Mode::Default] {
            let decision = decide(&allows, call, &bypassed(mode));
            assert!(decision.effect == Ask && decision.always_asks(), "{:?}", call.accesses);
            assert_eq!(decide(&allows, &kept, &bypassed(mode)).effect, Allow, "{:?}", call.accesses);
        }
    }
    // Of a tool that runs nothing such a word is about something else.
    let other = Call {
        raw_input: json!({ "sandbox": false, "amount": 3 }),
        ..of_server("pay", &json!({ "sandbox": false, "amount": 3 }))
    };
    assert_eq!(in_mode(&allows, &other, Mode::Auto).effect, Allow);
}
