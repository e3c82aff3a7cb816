//! `mayi check --stdin`, once for all cases of a group.

use std::collections::BTreeMap;

use serde_json::Value;

use super::drivers::{Answer, Driver};
use super::{Case, World};

pub(crate) struct Program;

impl Driver for Program {
    fn name(&self) -> &'static str {
        "mayi check --stdin"
    }

    fn takes(&self, case: &Case) -> bool {
        case.grants.is_empty()
    }

    fn answers(&mut self, world: &World, cases: &[&Case]) -> BTreeMap<String, Answer> {
        let lines: Vec<String> = cases.iter().map(|case| world.request(case).to_string() + "\n").collect();
        let ended = world.mayi(["check", "--stdin"]).input(lines.concat().as_bytes()).end();
        assert!(matches!(ended.code, Some(0 | 2)) && !ended.err.contains("panicked"), "{ended}");
        let lines: Vec<Value> =
            ended.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ids: Vec<&str> = lines.iter().filter_map(|line| line["id"].as_str()).collect();
        let asked: Vec<&str> = cases.iter().map(|case| &*case.id).collect();
        assert_eq!(ids, asked, "one answer for each line, in order");
        lines.iter().map(|line| (line["id"].as_str().unwrap().to_owned(), Answer::of(line))).collect()
    }
}
