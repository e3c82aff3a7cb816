//! Addresses that stand for several, as curl writes them: `{a,b}`, `[a-c]`, `[1-9]`.

/// As many addresses one may stand for; as many of a range of numbers are looked at.
const MOST: usize = 512;
const MOST_NUMBERS: u64 = 16;

/// One of the addresses that another stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UrlVariant {
    pub(super) text: String,
    /// What each glob gives in it.
    pub(super) values: Vec<String>,
}

impl UrlVariant {
    fn push(&mut self, c: char) {
        self.text.push(c);
    }

    fn with_value(&self, value: &str) -> Self {
        let mut values = self.values.clone();
        values.push(value.to_owned());
        Self { text: format!("{}{value}", self.text), values }
    }
}

/// The addresses that `text` stands for: one where it holds no glob. Of a long range of numbers only some. None if there are too
/// many.
pub(super) fn expand_globs(text: &str) -> Option<Vec<UrlVariant>> {
    let mut found = vec![UrlVariant::default()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        let values = match c {
            '\\' if behind.starts_with(['{', '[', '}', ']']) => {
                let escaped = behind.chars().next()?;
                found.iter_mut().for_each(|variant| variant.push(escaped));
                rest = behind.get(1..).unwrap_or_default();
                continue;
            }
            '{' => behind.split_once('}').map(|(inner, rest)| (set_values(inner), rest)),
            '[' => behind.split_once(']').and_then(|(inner, rest)| Some((range_values(inner)?, rest))),
            _ => None,
        };
        let Some((values, behind)) = values else {
            found.iter_mut().for_each(|variant| variant.push(c));
            rest = behind;
            continue;
        };
        if found.len().saturating_mul(values.len()) > MOST {
            return None;
        }
        found =
            found.iter().flat_map(|variant| values.iter().map(|value| variant.with_value(value))).collect();
        rest = behind;
    }
    Some(found)
}

/// `a,b`, where a backslash takes a character for itself.
fn set_values(inner: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            ',' => values.push(String::new()),
            c => {
                let c = if c == '\\' { chars.next().unwrap_or(c) } else { c };
                if let Some(last) = values.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    values
}

/// `a-z`, `1-9`, `001-100:10`; none if it is no range.
fn range_values(inner: &str) -> Option<Vec<String>> {
    let (range, step) = inner.split_once(':').unwrap_or((inner, "1"));
    let (from, to) = range.split_once('-')?;
    let step: u64 = step.parse().ok().filter(|step| *step > 0)?;
    let mut ends = (from.chars(), to.chars());
    if let (Some(first), None, Some(last), None) =
        (ends.0.next(), ends.0.next(), ends.1.next(), ends.1.next())
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        let (low, high) = if first <= last { (first, last) } else { (last, first) };
        return Some((low..=high).map(String::from).collect());
    }
    let (low, high): (u64, u64) = (from.parse().ok()?, to.parse().ok()?);
    let width = if from.starts_with('0') { from.len() } else { 0 };
    let all = high.saturating_sub(low) / step;
    let some = (0..=all.min(MOST_NUMBERS)).map(|nth| low.saturating_add(nth.saturating_mul(step)));
    Some(some.chain([high]).map(|number| format!("{number:0width$}")).collect())
}

#[cfg(test)]
mod tests {
    use super::expand_globs;

    #[test]
    fn given_an_address_with_globs_then_those_that_it_stands_for_are_found() {
        let texts = |text: &str| -> Vec<String> {
            expand_globs(text).unwrap().into_iter().map(|variant| variant.text).collect()
        };
        assert_eq!(texts("http://h/x"), ["http://h/x"]);
        assert_eq!(texts("{a,b}/[x-y]"), ["a/x", "a/y", "b/x", "b/y"]);
        assert_eq!(texts("a[01-03:2]"), ["a01", "a03", "a03"]);
        assert_eq!(texts("[::1]/{.en}vrc"), ["[::1]/.envrc"]);
        assert_eq!(texts("\\{a\\}"), ["{a}"]);
        assert_eq!(texts("a{b"), ["a{b"]);
        assert_eq!(expand_globs("[a-z][a-z][a-z]"), None);
        let one = expand_globs("{a}/{b,c}").unwrap();
        assert_eq!(one[1].values, ["a", "c"]);
    }
}
