//! What destroys elsewhere, beyond recall: on a cluster, at a provider, in a database, in a repository that others have. It is
//! asked about, also in mode auto, unless a rule allows it (D4.31).
//!
//! The list is short on purpose, and data: patterns as rules have them, so that options count in any order and in every spelling
//! that the table of programs knows, behind wrappers too; `**` is any number of words. What only publishes, or can be had again
//! from what lies here, is not on it.

use std::sync::OnceLock;

use super::Protected;
use crate::pattern::path::Fit;
use crate::pattern::{AccessForms, PatternAuthor, PatternBases};
use crate::{Effect, Pattern};

const ELSEWHERE: &str = "this destroys what lies elsewhere, beyond recall";

/// By program, in the order of names.
const ROWS: &[&str] = &[
    "argocd app delete *",
    "aws * delete-* *",
    "aws * deregister-* *",
    "aws * purge-* *",
    "aws * schedule-key-deletion *",
    "aws * terminate-* *",
    "aws s3 rb *",
    "aws s3 rm *",
    "aws s3 sync --delete *",
    "az ** delete *",
    "az ** purge *",
    "azcopy remove *",
    "azcopy rm *",
    "bq rm *",
    "cdk destroy *",
    "clickhouse client --query '*drop *' *",
    "clickhouse client --query '*truncate *' *",
    "clickhouse-client --query '*drop *' *",
    "clickhouse-client --query '*truncate *' *",
    "cockroach sql -e '*drop *' *",
    "cockroach sql -e '*truncate *' *",
    "consul kv delete *",
    "cqlsh -e '*drop *' *",
    "cqlsh -e '*truncate *' *",
    "curl -X DELETE *",
    "doctl ** delete *",
    "dropdb *",
    "eksctl delete *",
    "etcdctl del *",
    "firebase *:delete *",
    "fly ** destroy *",
    "flyctl ** destroy *",
    "gcloud ** delete *",
    "gcloud storage rm *",
    "gem yank *",
    "gh api -X DELETE *",
    "gh gist delete *",
    "gh issue delete *",
    "gh label delete *",
    "gh release delete *",
    "gh repo delete *",
    "gh run delete *",
    "gh secret delete *",
    "gh variable delete *",
    "git push ** +*",
    "git push ** :*",
    "git push --delete *",
    "git push --force *",
    "git push --force-with-lease *",
    "git push --mirror *",
    "git push --prune *",
    "glab api -X DELETE *",
    "glab release delete *",
    "glab repo delete *",
    "gsutil rb *",
    "gsutil rm *",
    "hcloud * delete *",
    "helm delete *",
    "helm uninstall *",
    "heroku * destroy *",
    "heroku *:destroy *",
    "heroku pg:reset *",
    "hg push --force *",
    "http DELETE *",
    "https DELETE *",
    "ibmcloud * *-delete *",
    "kubectl delete *",
    "linode-cli * delete *",
    "mariadb -e '*drop *' *",
    "mariadb -e '*truncate *' *",
    "mc rb *",
    "mc rm *",
    "mongo --eval '*drop*' *",
    "mongosh --eval '*drop*' *",
    "mysql -e '*drop *' *",
    "mysql -e '*truncate *' *",
    "mysqladmin ** drop *",
    "netlify *:delete *",
    "nomad namespace delete *",
    "npm unpublish *",
    "oc delete *",
    "openstack ** delete *",
    "pnpm unpublish *",
    "psql -c '*drop *' *",
    "psql -c '*truncate *' *",
    "pulumi destroy *",
    "pulumi stack rm *",
    "rclone delete *",
    "rclone purge *",
    "rclone sync *",
    "redis-cli ** flushall *",
    "redis-cli ** flushdb *",
    "s3cmd del *",
    "s3cmd rb *",
    "s3cmd rm *",
    "s5cmd rb *",
    "s5cmd rm *",
    "sam delete *",
    "scw ** delete *",
    "serverless remove *",
    "sls remove *",
    "sqlcmd -Q '*drop *' *",
    "sqlcmd -Q '*truncate *' *",
    "sqlcmd -q '*drop *' *",
    "sqlcmd -q '*truncate *' *",
    "supabase * delete *",
    "surge teardown *",
    "svn delete *://* *",
    "svn rm *://* *",
    "terraform apply -destroy *",
    "terraform destroy *",
    "terraform state rm *",
    "terraform workspace delete *",
    "terragrunt apply -destroy *",
    "terragrunt destroy *",
    "terragrunt run destroy *",
    "terragrunt run-all destroy *",
    "tofu apply -destroy *",
    "tofu destroy *",
    "tofu state rm *",
    "tofu workspace delete *",
    "vault delete *",
    "vault kv destroy *",
    "vault kv metadata delete *",
    "vercel * rm *",
    "vercel remove *",
    "vercel rm *",
    "wget --method DELETE *",
    "wrangler ** delete *",
    "xh DELETE *",
    "xhs DELETE *",
    "yarn npm unpublish *",
];

/// The rows, each compiled when a command of its program is judged.
#[derive(Clone, Debug)]
pub(super) struct Elsewhere(Vec<OnceLock<Option<Protected>>>);

impl Default for Elsewhere {
    fn default() -> Self {
        Self(vec![OnceLock::new(); ROWS.len()])
    }
}

impl Elsewhere {
    /// All of them, for `config show`.
    pub(super) fn entries(&self) -> impl Iterator<Item = &Protected> {
        self.rows(|_| true)
    }

    /// What a command is about.
    pub(super) fn about<'s>(&'s self, seen: &AccessForms<'_>) -> Vec<&'s Protected> {
        let Some(shell) = seen.shell() else { return Vec::new() };
        let names: Vec<&str> =
            shell.forms().iter().filter_map(|form| form.command_names()).flatten().collect();
        if names.is_empty() {
            return Vec::new();
        }
        let rows = self.rows(move |program| names.contains(&program));
        rows.filter(|row| row.pattern.fit(seen, PatternAuthor::BuiltIn) != Fit::No).collect()
    }

    fn rows(&self, of: impl Fn(&str) -> bool) -> impl Iterator<Item = &Protected> {
        let rows = ROWS.iter().zip(&self.0);
        let rows = rows.filter(move |(row, _)| of(row.split(' ').next().unwrap_or_default()));
        rows.filter_map(|(row, compiled)| compiled.get_or_init(|| compile_row(row)).as_ref())
    }
}

fn compile_row(row: &str) -> Option<Protected> {
    Some(Protected {
        effect: Effect::Ask,
        always: false,
        holds: true,
        pattern: Pattern::parse(&format!("shell({row})"), &PatternBases::default()).ok()?,
        reason: ELSEWHERE.to_owned(),
        managed: false,
        written: PatternAuthor::BuiltIn,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold_text;

    #[test]
    fn given_the_list_then_each_row_is_a_pattern_for_its_program_and_stands_there_once() {
        let all = Elsewhere::default();
        let texts: Vec<&str> = all.entries().map(|entry| entry.pattern.as_str()).collect();
        assert_eq!(texts.len(), ROWS.len());
        let unique: std::collections::BTreeSet<_> = texts.iter().collect();
        assert_eq!(unique.len(), ROWS.len());
        let programs: Vec<&str> = ROWS.iter().map(|row| row.split(' ').next().unwrap()).collect();
        assert!(programs.iter().all(|program| fold_text(program) == *program));
        assert!(programs.is_sorted(), "they stand in the order of names");
    }
}
