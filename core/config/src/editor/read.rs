//! An editor's settings as they come in: JSON, in which every value may be of the wrong kind.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    EditorAgent, EditorServer, EditorSettings, EditorWorkspace, UnknownKeys, editor_key, setting_path,
};
use crate::scalars::{ScalarKey, ScalarType, keys};
use crate::{ConfigError, ConfigErrors, Layer};

impl EditorSettings {
    /// Reads settings as an editor sends them; `null` stands for what is not set.
    ///
    /// # Errors
    /// Every value that is of another kind, by its place. What they say is looked at when they are loaded.
    pub fn read(value: &Value) -> Result<Self, ConfigErrors> {
        let mut errors = Vec::new();
        let mut top = SettingFields::from_value(value, "mayi", &mut errors);
        let mut settings = Self { mode: top.take_scalar(keys::MODE), ..Self::default() };
        settings.tools = top.take("tools", CATEGORIES).unwrap_or_default();
        for (folder, value) in top.take_named("workspaces") {
            let mut fields = top.child_fields("workspaces", &folder, &value);
            let workspace =
                EditorWorkspace { mode: fields.take_scalar(keys::MODE), unknown: fields.unknown_keys() };
            settings.workspaces.insert(folder, workspace);
        }
        for (name, value) in top.take_named("agents") {
            let mut fields = top.child_fields("agents", &name, &value);
            let agent = EditorAgent {
                command: fields.take("command", TEXT),
                args: fields.take("args", TEXTS),
                env: fields.take("env", TEXT_MAP),
                bypass_permissions: fields.take_scalar(keys::AGENT_BYPASS),
                mode: fields.take_scalar(keys::AGENT_MODE),
                tools: fields.take("tools", CATEGORIES),
                unknown: fields.unknown_keys(),
            };
            settings.agents.insert(name, agent);
        }
        for (name, value) in top.take_named("servers") {
            let mut fields = top.child_fields("servers", &name, &value);
            let server = EditorServer {
                command: fields.take("command", TEXT),
                args: fields.take("args", TEXTS),
                env: fields.take("env", TEXT_MAP),
                url: fields.take("url", TEXT),
                headers: fields.take("headers", TEXT_MAP),
                approval: fields.take_scalar(keys::SERVER_APPROVAL),
                grant: fields.take_scalar(keys::SERVER_GRANT),
                trust_annotations: fields.take_scalar(keys::SERVER_TRUST_ANNOTATIONS),
                tools: fields.take(
                    "tools",
                    "{\"TOOL\": \"required\"}, with \"required\", \"not_required\", \"default\" or a category such as \"read\" for each, or both: {\"approval\": \"required\", \"category\": \"read\"}",
                ),
                unknown: fields.unknown_keys(),
            };
            settings.servers.insert(name, server);
        }
        settings.unknown = top.unknown_keys();
        ConfigErrors::ok_if_empty(errors).map(|()| settings)
    }
}

const TEXT: &str = "a text";
const TEXTS: &str = "a list of texts";
const TEXT_MAP: &str = "{\"NAME\": \"text\"}";
const CATEGORIES: &str =
    "{\"TOOL\": \"read\"}, with \"read\", \"write\", \"execute\" or \"external\" for each";

/// An object of the settings while it is read.
struct SettingFields<'e> {
    place: String,
    map: Map<String, Value>,
    errors: &'e mut Vec<ConfigError>,
}

impl<'e> SettingFields<'e> {
    fn from_value(value: &Value, place: &str, errors: &'e mut Vec<ConfigError>) -> Self {
        let mut fields = Self { place: place.to_owned(), map: Map::new(), errors };
        match value {
            Value::Object(map) => fields.map.clone_from(map),
            Value::Null => {}
            other => fields.add_type_mistake("", other, "an object: {}"),
        }
        fields
    }

    /// The object called `name` in the group `group` of this one.
    fn child_fields(&mut self, group: &str, name: &str, value: &Value) -> SettingFields<'_> {
        SettingFields::from_value(value, &setting_path(group, name), self.errors)
    }

    fn add_type_mistake(&mut self, key: &str, value: &Value, wanted: &str) {
        let is = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(is) => is.to_string(),
            Value::Number(_) => "a number".to_owned(),
            Value::String(text) if text.chars().count() <= 64 => format!("{text:?}"),
            Value::String(_) => "a text".to_owned(),
            Value::Array(_) => "this list".to_owned(),
            Value::Object(_) => "this object".to_owned(),
        };
        let message = format!("`{}{key}` can't be {is}", self.place);
        self.errors.push(ConfigError::new(Layer::Editor, message, Some(format!("write {wanted}"))));
    }

    fn take<T: DeserializeOwned>(&mut self, key: &str, wanted: &str) -> Option<T> {
        let value = self.map.remove(key).filter(|value| !value.is_null())?;
        let read = T::deserialize(&value).ok();
        if read.is_none() {
            self.add_type_mistake(&format!(".{key}"), &value, wanted);
        }
        read
    }

    fn take_scalar<T: DeserializeOwned + ScalarType>(&mut self, key: ScalarKey<T>) -> Option<T> {
        self.take(&editor_key(key.row), &key.row.kind.wanted_json())
    }

    fn take_named(&mut self, key: &str) -> Map<String, Value> {
        self.take(key, "an object, with a name for each").unwrap_or_default()
    }

    fn unknown_keys(self) -> UnknownKeys {
        self.map.into_iter().collect()
    }
}
