//! Names that people give to files with secrets: the one list of them, for the rule in the templates and for a look into folders.

/// Those that templates ask about (D3.26), as rules have them: `*` is any text. One that says little lies in a hidden folder, and a
/// look into folders finds that.
pub const SECRET_NAMES: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".dev.vars",
    ".dev.vars.*",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".vault-token",
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.ppk",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    "kubeconfig",
    "*.kubeconfig",
    "*service-account*.json",
    "*service_account*.json",
    "*serviceaccount*.json",
    "*firebase-adminsdk*.json",
    "*credentials.json",
    "secrets.yaml",
    "secrets.yml",
    "client_secret*.json",
];

/// Names that rules of a person's own may be about, too.
const PERHAPS: &[&str] = &[
    "id_*",
    "kubeconfig*",
    "terraform.tfstate*",
    "*credential*",
    "*secret*",
    "*service-account*",
    "*service_account*",
    "*serviceaccount*",
];

/// Whether a file is mostly called so that holds a secret: which of these is one, rules say.
#[must_use]
pub fn is_secret_by_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().chain(PERHAPS).any(|pattern| fits(pattern, &name))
}

/// None of the patterns has more than two stars.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((begins, rest)) = pattern.split_once('*') else { return pattern == name };
    let (holds, ends) = rest.split_once('*').unwrap_or(("", rest));
    let between = name.strip_prefix(begins).and_then(|name| name.strip_suffix(ends));
    between.is_some_and(|between| between.contains(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 733. D3.26: a search of a folder finds what a read of the file is asked about.
    #[test]
    fn given_a_name_that_templates_ask_about_then_a_look_into_folders_finds_it() {
        for pattern in SECRET_NAMES {
            assert!(pattern.matches('*').count() <= 2, "{pattern}");
            for name in [pattern.replace('*', "x"), pattern.to_ascii_uppercase().replace('*', "Some-Thing.")]
            {
                assert!(is_secret_by_name(&name), "{name}");
            }
        }
        for name in ["MY-SECRETS.txt", "prod.kubeconfig", "prod.tfstate.backup", "kubeconfig-prod", "id_work"]
        {
            assert!(is_secret_by_name(name), "{name}");
        }
        for name in ["serviceAccountKey.json", "gcp-service-account.json", "AuthKey_X.p8", "prod.auto.tfvars"]
        {
            assert!(is_secret_by_name(name), "{name}");
        }
        for name in ["environment.rs", "keys.md", "key", "env", "pem.rs", "README.md", "tfstate"] {
            assert!(!is_secret_by_name(name), "{name}");
        }
    }
}
