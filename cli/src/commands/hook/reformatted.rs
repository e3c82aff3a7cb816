//! Mayi's hooks in a file that was laid out anew since they were put in: found by what they start, and cut out of the text. The
//! rest stays to the byte.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::edit::LOOSE;

type Cuts = Vec<Range<usize>>;

/// `text` without the hooks that `own` knows by their command; none if there are none. `made` says whether a key with
/// nothing left in it may go too, and `top` names keys that go with the last hook.
///
/// # Errors
/// If the text is not JSON.
pub(super) fn without_own_hooks(
    text: &str,
    own: &dyn Fn(&str) -> bool,
    made: &dyn Fn(&str) -> bool,
    top: &[&str],
) -> Result<Option<String>, String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &LOOSE)
        .map_err(|error| format!("is not JSON: {error}"))?;
    let Some(Node::Object(root)) = &parsed.value else {
        return Err("is not an object".to_owned());
    };
    let mut cuts = Cuts::new();
    let mut found = false;
    // Read by others, the last one of a name counts; in all of them it is mayi's.
    let mut gone: Vec<bool> = Vec::with_capacity(root.properties.len());
    for property in &root.properties {
        let hooks = if property.name.as_str() == "hooks" { as_object(&property.value) } else { None };
        let all = hooks.is_some_and(|hooks| {
            let (all, more) = plan_hook_cuts(text, hooks, own, made);
            found |= all || !more.is_empty();
            cuts.extend(more);
            all && made("hooks")
        });
        gone.push(all);
    }
    if gone.contains(&true) {
        for (gone, property) in gone.iter_mut().zip(&root.properties) {
            let name = property.name.as_str();
            *gone |= top.contains(&name) && made(name);
        }
    }
    cuts.extend(plan_cuts(
        text,
        root.range(),
        &root.properties.iter().map(property_range).collect::<Vec<_>>(),
        &gone,
    ));
    Ok(found.then(|| without_cuts(text, cuts)))
}

/// `text` without the members at its top whose name `is_meant`; none if there are none.
///
/// # Errors
/// If the text is not JSON.
pub(super) fn without_members(text: &str, is_meant: &dyn Fn(&str) -> bool) -> Result<Option<String>, String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &LOOSE)
        .map_err(|error| format!("is not JSON: {error}"))?;
    let Some(Node::Object(root)) = &parsed.value else { return Ok(None) };
    let gone: Vec<bool> = root.properties.iter().map(|member| is_meant(member.name.as_str())).collect();
    let cuts =
        plan_cuts(text, root.range(), &root.properties.iter().map(property_range).collect::<Vec<_>>(), &gone);
    Ok(gone.contains(&true).then(|| without_cuts(text, cuts)))
}

/// Whether a text can be read still.
pub(super) fn is_whole(text: &str) -> bool {
    parse_to_ast(text, &CollectOptions::default(), &LOOSE).is_ok_and(|parsed| parsed.value.is_some())
}

/// Whether nothing is left below `hooks`, and what is to be cut where something is.
fn plan_hook_cuts(
    text: &str,
    hooks: &Object<'_>,
    own: &dyn Fn(&str) -> bool,
    made: &dyn Fn(&str) -> bool,
) -> (bool, Cuts) {
    let mut cuts = Cuts::new();
    let mut gone = Vec::with_capacity(hooks.properties.len());
    for list in &hooks.properties {
        let mut all = false;
        if let Node::Array(entries) = &list.value {
            let whole: Vec<bool> = entries.elements.iter().map(|entry| is_own(entry, own)).collect();
            all = !whole.is_empty() && whole.iter().all(|own| *own) && made(list.name.as_str());
            if !all {
                cuts.extend(plan_list_cuts(text, entries, &whole));
                for (entry, _) in entries.elements.iter().zip(&whole).filter(|(_, own)| !**own) {
                    // A matcher with hooks of others too.
                    for inner in nested_lists(entry) {
                        let own: Vec<bool> = inner.elements.iter().map(|hook| is_own(hook, own)).collect();
                        cuts.extend(plan_list_cuts(text, inner, &own));
                    }
                }
            }
        }
        gone.push(all);
    }
    if !gone.is_empty() && gone.iter().all(|gone| *gone) && made("hooks") {
        return (true, Cuts::new());
    }
    cuts.extend(plan_cuts(
        text,
        hooks.range(),
        &hooks.properties.iter().map(property_range).collect::<Vec<_>>(),
        &gone,
    ));
    (false, cuts)
}

/// Whether an entry is a hook that starts mayi, or holds nothing but such ones.
fn is_own(entry: &Node<'_>, own: &dyn Fn(&str) -> bool) -> bool {
    let Node::Object(entry) = entry else { return false };
    let starts = |property: &ObjectProp<'_>| match &property.value {
        Node::StringLit(text) => own(&text.value),
        _ => false,
    };
    let lists: Vec<&Array<'_>> = hook_lists(entry).collect();
    let only = |list: &&Array<'_>| list.elements.iter().all(|hook| is_own(hook, own));
    entry.properties.iter().any(starts)
        || (lists.iter().any(|list| !list.elements.is_empty()) && lists.iter().all(only))
}

fn nested_lists<'a>(entry: &'a Node<'a>) -> impl Iterator<Item = &'a Array<'a>> {
    as_object(entry).into_iter().flat_map(hook_lists)
}

fn hook_lists<'a>(entry: &'a Object<'a>) -> impl Iterator<Item = &'a Array<'a>> {
    entry.properties.iter().filter(|property| property.name.as_str() == "hooks").filter_map(|property| {
        match &property.value {
            Node::Array(list) => Some(list),
            _ => None,
        }
    })
}

fn as_object<'a>(node: &'a Node<'a>) -> Option<&'a Object<'a>> {
    match node {
        Node::Object(object) => Some(object),
        _ => None,
    }
}

fn property_range(property: &ObjectProp<'_>) -> Range<usize> {
    property.range.start..property.range.end
}

fn plan_list_cuts(text: &str, list: &Array<'_>, gone: &[bool]) -> Cuts {
    let items: Vec<Range<usize>> =
        list.elements.iter().map(|item| item.range().start..item.range().end).collect();
    plan_cuts(text, list.range(), &items, gone)
}

/// What is to be cut so that those of `items` that are `gone` are not in their container any more: with a comma each, and the
/// blanks in front. A comment beside stays.
fn plan_cuts(text: &str, outer: jsonc_parser::common::Range, items: &[Range<usize>], gone: &[bool]) -> Cuts {
    let mut cuts = Cuts::new();
    if !gone.contains(&true) {
        return cuts;
    }
    let (first, end) = (outer.start + 1, outer.end.saturating_sub(1));
    let blank = |range: Range<usize>| !text.get(range).unwrap_or("/").contains('/');
    let all = gone.iter().all(|gone| *gone);
    let mut before = first;
    let mut kept = false;
    for (at, item) in items.iter().enumerate() {
        let next = items.get(at + 1).map_or(end, |next| next.start);
        if gone.get(at) != Some(&true) {
            (before, kept) = (item.end, true);
            continue;
        }
        if all {
            let from = if blank(before..item.start) { before } else { item.start };
            let to = if blank(item.end..next) { next } else { item.end };
            cuts.push(from..to);
            cuts.extend(find_comma(text, item.end..next).filter(|comma| *comma >= to).map(|at| at..at + 1));
        } else if kept {
            // With the comma in front.
            match find_comma(text, before..item.start).filter(|_| !blank(before..item.start)) {
                Some(comma) => cuts.extend([comma..comma + 1, item.clone()]),
                None => cuts.push(before..item.end),
            }
        } else {
            // With the comma behind.
            match find_comma(text, item.end..next).filter(|_| !blank(item.end..next)) {
                Some(comma) => cuts.extend([item.clone(), comma..comma + 1]),
                None => cuts.push(item.start..next),
            }
        }
        before = item.end;
    }
    cuts
}

/// Where the comma stands in what is between two items.
fn find_comma(text: &str, between: Range<usize>) -> Option<usize> {
    let gap = text.get(between.clone())?;
    let mut at = 0;
    while let Some(rest) = gap.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if rest.starts_with(',') {
            return Some(between.start + at);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

fn without_cuts(text: &str, mut cuts: Cuts) -> String {
    cuts.sort_by_key(|cut| (cut.start, cut.end));
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        new.push_str(text.get(at..cut.start.max(at)).unwrap_or_default());
        at = at.max(cut.end);
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_mayi_hooks(text: &str) -> Option<String> {
        without_own_hooks(text, &|command| command == "mayi", &|_| true, &["version"]).unwrap()
    }

    #[test]
    fn given_hooks_in_any_layout_then_only_mayis_are_cut_out() {
        for (text, new) in [
            (r#"{"x":1,"hooks":{"A":[{"command":"mayi"}]},"y":2}"#, r#"{"x":1,"y":2}"#),
            (r#"{"hooks":{"A":[{"command":"mayi"}]},"y":2}"#, r#"{"y":2}"#),
            (r#"{"hooks":{"A":[{"command":"mayi"}]},"version":1}"#, "{}"),
            (r#"{"version":1,"y":1,"hooks":{"A":[{"command":"mayi"}]}}"#, r#"{"y":1}"#),
            (
                r#"{"hooks":{"A":[{"command":"mine"},{"command":"mayi"}],"B":[{"command":"mayi"}]},"version":1}"#,
                r#"{"hooks":{"A":[{"command":"mine"}]},"version":1}"#,
            ),
            (
                r#"{"hooks":{"A":[{"matcher":"*","hooks":[{"command":"mayi"},{"command":"mine"}]}]}}"#,
                r#"{"hooks":{"A":[{"matcher":"*","hooks":[{"command":"mine"}]}]}}"#,
            ),
            (
                "{\n  \"hooks\": {\n    \"A\": [\n      {\n        \"command\": \"mayi\",\n        \"mine\": [1, 2]\n      },\n      {\"command\": \"b\"}\n    ]\n  }\n}\n",
                "{\n  \"hooks\": {\n    \"A\": [\n      {\"command\": \"b\"}\n    ]\n  }\n}\n",
            ),
            (
                "{\"hooks\": {\"A\": [{\"command\": \"a\"}, /* ,keep */ {\"command\": \"mayi\"}, // me, too\n]}}",
                "{\"hooks\": {\"A\": [{\"command\": \"a\"} /* ,keep */ , // me, too\n]}}",
            ),
            (
                "{\"hooks\": {\"A\": [{\"command\": \"mayi\"}, /* b */ {\"command\": \"b\"}]}}",
                "{\"hooks\": {\"A\": [ /* b */ {\"command\": \"b\"}]}}",
            ),
            (
                "{\"hooks\":{\"A\":[{\"command\":\"mayi\"}]},\"hooks\":{\"A\":[{\"command\":\"mayi\"},{\"command\":\"b\"}]}}",
                "{\"hooks\":{\"A\":[{\"command\":\"b\"}]}}",
            ),
        ] {
            assert_eq!(without_mayi_hooks(text).as_deref(), Some(new), "{text}");
        }
        for text in [r#"{"hooks":{"A":[{"command":"mine"}]}}"#, r#"{"hooks":[{"command":"mayi"}]}"#, "{}"] {
            assert_eq!(without_mayi_hooks(text), None, "{text}");
        }
    }

    #[test]
    fn given_lists_that_were_there_before_then_they_stay() {
        let text =
            "{\"hooks\":{\"A\":[{\"command\":\"mayi\"}],\"B\":[{\"command\":\"mayi\"}]},\"version\":1}";
        let new = without_own_hooks(text, &|command| command == "mayi", &|key| key == "B", &["version"]);
        assert_eq!(new.unwrap().as_deref(), Some("{\"hooks\":{\"A\":[]},\"version\":1}"));
    }

    #[test]
    fn given_members_of_the_extension_then_they_are_cut_out_and_comments_stay() {
        let text = "{\n  \"mayi.agents\": {},\n  // size\n  \"editor.size\": 3,\n  \"mayi.page\": true,\n}\n";
        let new = without_members(text, &|name| name.starts_with("mayi.")).unwrap();
        assert_eq!(new.as_deref(), Some("{\n  \n  // size\n  \"editor.size\": 3,\n}\n"));
        assert_eq!(without_members("{}", &|_| true), Ok(None));
    }

    /// Attack 476.
    #[test]
    fn given_a_hostile_file_then_it_is_refused_in_time() {
        let deep = format!("{{\"hooks\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(without_own_hooks(&deep, &|_| true, &|_| true, &[]).is_err());
        assert!(without_own_hooks("[\"mayi\"]", &|_| true, &|_| true, &[]).is_err());
        let long = format!("{{\"hooks\":{{\"A\":[{}{{\"command\":\"mayi\"}}]}}}}", "{},".repeat(200_000));
        assert!(without_mayi_hooks(&long).is_some());
    }
}
