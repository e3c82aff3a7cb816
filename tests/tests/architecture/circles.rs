//! Modules of a crate that stand in an order: what a module is made of never leads back to it.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, UseTree};

use super::{Source, is_test, sources};

/// Crates whose modules at the top know each other in one direction only.
const ORDERED: &[&str] = &["core/policy/src/", "core/kept/src/", "core/import/src/", "cli/src/"];

/// Which module knows which.
type Knows = BTreeMap<String, BTreeSet<String>>;

/// The modules of a crate, and by which module the names of its root come to be.
struct Root {
    modules: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

impl Root {
    fn of(folder: &str, sources: &[&Source]) -> Self {
        let modules = sources.iter().filter_map(|source| module(folder, source)).collect();
        let mut names = BTreeMap::new();
        for item in sources.iter().filter(|source| is_root(folder, source)).flat_map(|root| items(root)) {
            let Item::Use(item) = item else { continue };
            for path in paths(&item.tree) {
                let path: Vec<_> = path.into_iter().skip_while(|word| word == "self").collect();
                if let [module, .., name] = path.as_slice() {
                    names.insert(name.clone(), module.clone());
                }
            }
        }
        Self { modules, names }
    }

    /// The module that `name`, seen from the root, belongs to; none: the root itself.
    fn owner(&self, name: &str) -> Option<String> {
        if self.modules.contains(name) {
            return Some(name.to_owned());
        }
        self.names.get(name).filter(|module| self.modules.contains(*module)).cloned()
    }
}

/// Finds what is named by its way from the crate's root, in a module `depth` below it.
struct Named {
    depth: usize,
    found: BTreeSet<String>,
}

impl Named {
    fn take(&mut self, path: &[String]) {
        let up = path.iter().take_while(|word| *word == "super").count();
        let from = match path.first() {
            Some(first) if first == "crate" => 1,
            _ if up > 0 && up == self.depth => up,
            _ => return,
        };
        self.found.extend(path.get(from).cloned());
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for path in paths(&item.tree) {
            self.take(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.take(&path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>());
        visit::visit_path(self, path);
    }
}

/// Every path that a `use` brings in.
fn paths(tree: &UseTree) -> Vec<Vec<String>> {
    let behind = |word: String, rest: &UseTree| {
        paths(rest)
            .into_iter()
            .map(|path| std::iter::once(word.clone()).chain(path).collect())
            .collect::<Vec<Vec<String>>>()
    };
    match tree {
        UseTree::Path(path) => behind(path.ident.to_string(), &path.tree),
        UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        UseTree::Rename(name) => vec![vec![name.ident.to_string()]],
        UseTree::Glob(_) => vec![Vec::new()],
        UseTree::Group(group) => group.items.iter().flat_map(paths).collect(),
    }
}

/// What a file is made of, without what only tests see.
fn items(source: &Source) -> Vec<Item> {
    let file = syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.path));
    file.items
        .into_iter()
        .filter(|item| !matches!(item, Item::Mod(inside) if inside.content.is_some()))
        .collect()
}

fn is_root(folder: &str, source: &Source) -> bool {
    ["lib.rs", "main.rs"].iter().any(|name| source.path == format!("{folder}{name}"))
}

/// The module at the top that a file belongs to.
fn module(folder: &str, source: &Source) -> Option<String> {
    let path = source.path.strip_prefix(folder)?;
    let first = path.split('/').next()?;
    (!is_root(folder, source)).then(|| first.trim_end_matches(".rs").to_owned())
}

/// How deep the module of a file lies.
fn depth(folder: &str, source: &Source) -> usize {
    let path = source.path.trim_start_matches(folder);
    path.split('/').count() - usize::from(path.ends_with("/mod.rs"))
}

fn knows(folder: &str, sources: &[&Source]) -> Knows {
    let root = Root::of(folder, sources);
    let mut knows = Knows::new();
    for source in sources {
        let Some(module) = module(folder, source) else { continue };
        let mut named = Named { depth: depth(folder, source), found: BTreeSet::new() };
        for item in items(source) {
            named.visit_item(&item);
        }
        let others = named.found.iter().filter_map(|name| root.owner(name)).filter(|other| *other != module);
        knows.entry(module.clone()).or_default().extend(others);
    }
    knows
}

/// The modules that lead back to themselves, or to such.
fn circle(knows: &Knows) -> Vec<String> {
    let mut left = knows.clone();
    loop {
        // Whoever knows nobody that is left is in no circle.
        let free: Vec<String> = left
            .iter()
            .filter(|(_, others)| !others.iter().any(|other| left.contains_key(other)))
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            return left.into_keys().collect();
        }
        left.retain(|module, _| !free.contains(module));
    }
}

/// "The real circles are cut": policy and grant; store and record, pin, approval; commands and what they take.
#[test]
fn given_the_modules_of_a_crate_then_none_leads_back_to_itself() {
    let all = sources();
    for folder in ORDERED {
        let inside: Vec<&Source> = all
            .iter()
            .filter(|source| source.path.starts_with(folder) && !is_test(&source.path))
            .filter(|source| !source.path.ends_with("/testing.rs"))
            .collect();
        let knows = knows(folder, &inside);
        assert!(knows.values().any(|others| !others.is_empty()), "{folder}: nothing was read");
        let circle = circle(&knows);
        assert!(circle.is_empty(), "{folder}: among {circle:?}, of {knows:?}");
    }
    let file = |path: &str, text: &str| Source { path: format!("x/src/{path}"), text: text.to_owned() };
    let bad = [
        file("lib.rs", "mod a; mod b; mod c; pub use self::b::{Inner, deep::Name};"),
        file("a/mod.rs", "use super::Name;"),
        file("b.rs", "fn f() -> crate::c::Out { loop {} }"),
        file("c/d.rs", "use super::super::a::Thing;"),
        file("e.rs", "use crate::a::Thing;"),
    ];
    assert_eq!(circle(&knows("x/src/", &bad.each_ref())), ["a", "b", "c", "e"]);
    assert_eq!(circle(&knows("x/src/", &[&bad[0], &bad[1], &bad[2]])), [""; 0]);
}
