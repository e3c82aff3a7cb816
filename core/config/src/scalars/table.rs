//! The table of all settings that have one value each. Reading, merging, tightening, the schema, `config show` and what an
//! editor may set follow it; within a section, its order is that of the schema.

use super::OnUnasked;
use super::row::{Reach, ScalarRow, Unset};
use super::value::{ScalarKind, ScalarValue};
use mayi_policy::{Approval, Level, Mode};

const OFF: Unset = Unset::Is(ScalarValue::Flag(false));

/// A setting that those who only tighten may not loosen, that no managed file can lock, and that no editor sets.
const fn row(path: &'static str, kind: ScalarKind, unset: Unset, about: &'static str) -> ScalarRow {
    ScalarRow { path, kind, unset, reach: Reach::Stricter, lockable: false, editor: false, about }
}

impl ScalarRow {
    const fn reach(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    const fn lockable(mut self) -> Self {
        self.lockable = true;
        self
    }

    const fn in_editor(mut self) -> Self {
        self.editor = true;
        self
    }
}

pub(crate) static TABLE: &[ScalarRow] = &[
    row(
        "mode",
        ScalarKind::Mode,
        Unset::BuiltIn(ScalarValue::Mode(Mode::Default)),
        "How much is asked: plan only reads, default asks, auto (dangerous) asks only where a rule or \
        protection says so, and before what destroys elsewhere.",
    )
    .reach(Reach::Mode)
    .lockable()
    .in_editor(),
    row(
        "on_unasked",
        ScalarKind::OnUnasked,
        Unset::BuiltIn(ScalarValue::OnUnasked(OnUnasked::Record)),
        "What follows when an agent did something without asking that the rules ask about or deny: it is shown \
        and recorded,\nor the turn is cancelled too. Default: record.",
    ),
    row(
        "readers",
        ScalarKind::Flag,
        Unset::BuiltIn(ScalarValue::Flag(true)),
        "Whether commands that only read (`ls`, `rg`, `git log`, ...) run without a question. Default: true.",
    ),
    row(
        "sandbox.allow_confined",
        ScalarKind::Flag,
        OFF,
        "Whether a command that nobody has allowed, denied or asked about by a rule runs without a question where the kernel \
         holds it in full, and it\nreaches no host that nobody has allowed. Default: false.",
    )
    .lockable(),
    row(
        "acp.protocol_v2",
        ScalarKind::Flag,
        OFF,
        "Whether version 2 of the Agent Client Protocol, a preview, is spoken where editor and agent both do. \
        Default: false.",
    )
    .reach(Reach::Refused),
    row("agents.*.mode", ScalarKind::Mode, Unset::As("mode"), "The mode that its sessions start in.")
        .reach(Reach::Mode)
        .in_editor(),
    row(
        "agents.*.bypass_permissions",
        ScalarKind::Flag,
        OFF,
        "Whether it runs without asking, but for what is always asked about and what rules say.",
    )
    .lockable()
    .in_editor(),
    row(
        "agents.*.trust_kind",
        ScalarKind::Flag,
        Unset::Nothing,
        "Without effect, and refused by a later version: leave it out.",
    )
    .reach(Reach::NoEffect),
    row(
        "agents.*.trust_elicitation",
        ScalarKind::Flag,
        OFF,
        "Whether it is trusted, as an MCP client, to show mayi's questions to a person: then it is asked by a \
        form where no\nsurface of mayi is open.",
    ),
    row(
        "agents.*.on_unasked",
        ScalarKind::OnUnasked,
        Unset::As("on_unasked"),
        "What follows when it did something without asking that the rules ask about or deny. Default: as for \
        all agents.",
    ),
    row(
        "agents.*.asking_mode",
        ScalarKind::Text,
        Unset::Nothing,
        "Its own mode in which it asks before it acts: without such a mode it does not start. \"\": it is left \
        in the mode that\nit starts in.",
    )
    .reach(Reach::Users),
    row(
        "agents.*.tools.*",
        ScalarKind::Category,
        Unset::As("tools.*"),
        "What its own tools do, as you know them, by name; before what is said for all agents.",
    )
    .reach(Reach::Users)
    .in_editor(),
    row(
        "tools.*",
        ScalarKind::Category,
        Unset::Nothing,
        "What agents' own tools do, as you know them, by name: `web_search = \"read\"`.",
    )
    .reach(Reach::Users)
    .in_editor(),
    row(
        "servers.*.approval",
        ScalarKind::Approval,
        Unset::Is(ScalarValue::Approval(Approval::Default)),
        "Whether its calls need an answer. One that the server itself calls destructive does, unless a rule, its own setting or a \
         level says that it does not.",
    )
    .in_editor(),
    row(
        "servers.*.grant",
        ScalarKind::Level,
        Unset::Is(ScalarValue::Level(Level::None)),
        "The level that was granted to it.",
    )
    .in_editor(),
    row(
        "servers.*.trust_annotations",
        ScalarKind::Flag,
        OFF,
        "Whether what it says of its tools may loosen a decision.",
    )
    .in_editor(),
    row(
        "servers.*.tools.*.approval",
        ScalarKind::ToolApproval,
        Unset::Is(ScalarValue::Approval(Approval::Default)),
        "Whether its calls need an answer.",
    )
    .in_editor(),
    row(
        "servers.*.tools.*.category",
        ScalarKind::Category,
        Unset::Nothing,
        "What it does, as you know it.",
    )
    .reach(Reach::Users)
    .in_editor(),
    row(
        "apps.*.trust_require_approval",
        ScalarKind::Flag,
        OFF,
        "Whether what it says of its MCP tools with `require_approval: \"never\"` counts: they run without a \
        question, unless\na rule or a setting of the server says otherwise. That it wants a tool asked about \
        counts in any case.",
    )
    .lockable(),
    row(
        "apps.*.trust_categories",
        ScalarKind::Flag,
        OFF,
        "Whether the categories count that it gives its tools (`host/tools`, `host/ask`): what it calls a read is judged as \
        one.",
    )
    .lockable(),
    row(
        "matrix.*.*",
        ScalarKind::Effect,
        Unset::Nothing,
        "What each mode does with each category where no rule speaks.",
    ),
];
