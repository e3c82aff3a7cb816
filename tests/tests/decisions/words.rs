//! What reasons say: words of the line, and none that only mayi's code knows.

use mayi_check::{Checker, Request};
use mayi_core::policy::Effect;

use crate::corpus::{World, groups};

/// Names of mayi's own, and of the parser's: a person would look for them in vain.
const INTERNAL: &[&str] = &[
    "${_}",
    "tag(s)",
    "not understood",
    "construct",
    "Refused",
    "Reach",
    "Open(",
    "Literal(",
    "None",
    "Some(",
];

/// D2.36: every reason names the word that made it ask. No reason of the whole corpus holds an internal name, and each,
/// with the access that it stands beside, names something of its line.
#[test]
fn given_the_corpus_then_every_reason_is_in_the_words_of_its_line() {
    let (mut looked, mut wrong) = (0, Vec::new());
    for group in groups() {
        let world = World::of(&group);
        let mut checker = Checker::new(world.sources(), true);
        for case in
            group.cases.iter().filter(|case| case.request.get("kind").is_some_and(|kind| kind == "shell"))
        {
            let value = case.value();
            let Ok(request) = Request::from_json(&world.request(case).to_string()) else { continue };
            let Ok(judged) = checker.check_request(&request) else { continue };
            let line = world.place(&value);
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '@'))
                .filter(|word| !word.is_empty())
                .collect();
            let trail = &judged.decision.trail;
            for finding in trail.iter().filter(|finding| finding.effect != Effect::Allow) {
                looked += 1;
                let said = format!(
                    "{} {} {}",
                    finding.access,
                    finding.within.as_deref().unwrap_or(""),
                    finding.reason
                );
                let internal = INTERNAL.iter().find(|name| said.contains(*name) && !line.contains(*name));
                if let Some(name) = internal {
                    wrong.push(format!("{value}: {said}: {name}"));
                }
                if !words.is_empty() && !words.iter().any(|word| said.contains(word)) {
                    wrong.push(format!("{value}: {said}: names no word of the line"));
                }
            }
        }
    }
    println!("{looked} reasons looked at");
    assert!(looked > 1000, "{looked}");
    assert!(wrong.is_empty(), "{} of {looked}:\n{}", wrong.len(), wrong.join("\n"));
}
