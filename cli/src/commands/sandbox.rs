//! `mayi sandbox`: what a command may do that is confined here, and by what it is held.

mod caches;
mod tried;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mayi_core::approval::escape_line;
use mayi_core::call::{AgentId, home_folder};
use mayi_core::config::LoadedConfig;
use mayi_core::gate::{Gate, Session};
use mayi_core::grant::Grants;
use mayi_core::policy::{Mode, Policy, SessionStanding};
use mayi_core::record::Redactor;
pub(super) use mayi_sandbox::{Before, Derived, Profile, Reading, Tier};
use mayi_sandbox::{
    Cache, CacheGround, CacheLayer, CacheStore, Ground, Network, Place, seatbelt_text, try_caches,
};
use serde_json::json;

pub(crate) use self::caches::CleanArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::mode_value_parser;
use crate::print;

pub(super) const AFTER: &str = "\
Examples:
  mayi sandbox check                  what this machine can hold, tried out
  mayi sandbox show                   what a command of `mayi exec` may do in this folder, and why
  mayi sandbox show --mode plan --json
  mayi sandbox caches                 what confined commands have written in caches of tools
  mayi sandbox clean cargo            forget it, for this project's cargo";

/// `mayi sandbox`
#[derive(Clone, Debug, Args)]
pub(crate) struct SandboxArgs {
    /// What to do
    #[command(subcommand)]
    pub command: SandboxCommand,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    /// Try what this machine can hold
    Check {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print what a confined command may do in this folder, with the rule behind each line
    Show(ShowArgs),
    /// List what confined commands have written in caches of tools, by project
    Caches {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Delete what confined commands have written in caches of tools
    Clean(CleanArgs),
}

/// Which profile is printed, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShowArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print it as a profile of macOS' Seatbelt, which was not tried on a Mac
    #[arg(long, conflicts_with = "json")]
    seatbelt: bool,
    /// As this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// As in this mode
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser())]
    mode: Option<Mode>,
    /// Of a command that may reach this much
    #[arg(long, value_enum, value_name = "NETWORK", default_value_t = NetworkArg::Ask)]
    network: NetworkArg,
}

/// Whom a command may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkArg {
    /// Nothing but itself; then it may read all that is not hidden
    None,
    /// What rules allow, or whoever is asked; where there is no full tier, nothing
    Ask,
}

impl NetworkArg {
    pub(super) fn in_tier(self, tier: Tier) -> Network {
        match self {
            Self::Ask if tier == Tier::Full => Network::Proxied,
            _ => Network::None,
        }
    }
}

/// A way of holding a command, from the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TierArg {
    /// Not at all
    None,
    /// By Landlock and seccomp: no writes outside of the folders, no network
    Kernel,
    /// By namespaces too: also what is denied within the folders
    Full,
}

impl From<TierArg> for Tier {
    fn from(arg: TierArg) -> Self {
        match arg {
            TierArg::None => Self::None,
            TierArg::Kernel => Self::Kernel,
            TierArg::Full => Self::Full,
        }
    }
}

pub(super) fn run(args: SandboxArgs, ctx: &Context) -> Result<Exit, CliError> {
    match args.command {
        SandboxCommand::Check { json } => check(json, ctx),
        SandboxCommand::Show(args) => show(&args, ctx),
        SandboxCommand::Caches { json } => caches::list(json, ctx),
        SandboxCommand::Clean(args) => caches::clean(&args, ctx),
    }
}

fn check(as_json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let (tier, why) = tried::anew(ctx);
    if as_json {
        print::stdout_line(json!({ "version": 1, "tier": tier, "why": why }).to_string())?;
        return Ok(Exit::Done);
    }
    let means = match tier {
        Tier::Full => {
            "denied files are out of sight, protected ones stay as they are, nothing outside of the folders is written, and each host is decided about"
        }
        Tier::Kernel => {
            "nothing outside of the folders is written, and there is no network; what is denied or protected within the folders is not held"
        }
        Tier::None => {
            "nothing is held: `mayi exec` runs nothing here, unless --tier none says that this will do"
        }
    };
    print::stdout_line(format!("{tier}: {means}"))?;
    if let Some(why) = why {
        print::stdout_line(format!("why not more: {}", escape_line(&why)))?;
    }
    Ok(Exit::Done)
}

fn show(args: &ShowArgs, ctx: &Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    let agent = args.agent.as_deref().map_or_else(|| AgentId::anonymous_at_door("exec"), AgentId::from_name);
    let mode = loaded.policy.mode_of(&agent, args.mode);
    let programs = program_folders();
    let (tier, why) = tried::tier(ctx);
    let network = args.network.in_tier(tier);
    let reading = match network {
        Network::None => Reading::Everything,
        Network::Proxied => Reading::Needed { programs: &programs, named: &[] },
    };
    let roots = ctx.roots(&loaded);
    let mut derived = derive(&loaded.policy, mode, &agent, (&roots, reading), ctx);
    derived.profile.network = network;
    if args.seatbelt {
        let text = seatbelt_text(&derived.profile);
        let text = text.ok_or_else(|| CliError::confinement("a path is not UTF-8 text"))?;
        print::stdout_line(text.trim_end())?;
        return Ok(Exit::Done);
    }
    let layers = if tier == Tier::Full { try_caches(&derived.profile) } else { Vec::new() };
    let shortfalls = tier.shortfalls(&derived.profile);
    if args.json {
        let shown = json!({
            "version": 1, "mode": mode, "tier": tier, "why": why, "profile": derived.profile, "caches": layers,
            "incomplete": derived.incomplete, "leftOut": derived.left_out, "hereAlone": derived.here_alone,
            "notHeld": shortfalls,
        });
        print::stdout_line(shown.to_string())?;
        return Ok(Exit::Done);
    }
    let Derived { profile, left_out, here_alone, .. } = &derived;
    let here = here_alone.iter().map(|text| format!("{text} outside of the session's folders"));
    print::stdout_line(format!("in mode {mode}, held by the {tier} tier:"))?;
    let home: Vec<Place> = profile.home.clone().into_iter().collect();
    for (word, places) in [
        ("write", &profile.writable),
        ("own", &home),
        ("keep", &profile.read_only),
        ("copy", &profile.copied),
        ("absent", &profile.absent),
        ("hide", &profile.hidden),
    ] {
        for Place { path, because } in places {
            print::stdout_line(format!(
                "  {word:<6} {}  ({})",
                escape_line(&path.to_string_lossy()),
                escape_line(because)
            ))?;
        }
    }
    print_caches(&derived.profile, &layers)?;
    match &profile.readable {
        None => print::stdout_line("  read   everything else  (what is not hidden)")?,
        Some(places) => {
            for Place { path, because } in places {
                let (path, because) = (escape_line(&path.to_string_lossy()), escape_line(because));
                print::stdout_line(format!("  read   {path}  ({because})"))?;
            }
            print::stdout_line("  read   the system's programs, libraries and settings, and nothing else")?;
        }
    }
    print::stdout_line(match network {
        Network::None => "  reach  nothing but itself  (no network)",
        Network::Proxied => "  reach  what rules for fetch allow, or whoever is asked, host by host",
    })?;
    for text in derived.incomplete.iter().chain(left_out).chain(&shortfalls).cloned().chain(here) {
        print::stdout_line(format!("not held: {}", escape_line(&text)))?;
    }
    Ok(Exit::Done)
}

fn print_caches(profile: &Profile, layers: &[(String, CacheLayer)]) -> Result<(), CliError> {
    for cache in &profile.caches {
        let layer = layers.iter().find_map(|(name, layer)| (*name == cache.name).then_some(layer));
        let (word, kept) = match layer {
            Some(CacheLayer::Project) => ("cache", "written in a layer of this project's".to_owned()),
            Some(CacheLayer::Command(why)) => {
                ("cache", format!("written until the command ends: {}", escape_line(why)))
            }
            Some(CacheLayer::Nowhere(why)) => {
                ("read", format!("it can't have a layer: {}", escape_line(why)))
            }
            None => ("read", "this tier has no layers".to_owned()),
        };
        let folder = escape_line(&cache.folder.to_string_lossy());
        print::stdout_line(format!("  {word:<6} {folder}  ({}: {kept})", cache.name))?;
        for below in cache.never_written.iter().filter(|_| word == "cache") {
            print::stdout_line(format!("  keep   {folder}/{below}  (it is run from there)"))?;
        }
    }
    Ok(())
}

/// The caches of tools that there are.
fn caches(roots: &[PathBuf], ctx: &Context) -> Vec<Cache> {
    let (Some(home), Some(data)) = (home_folder(), ctx.sources.folders.data.as_deref()) else {
        return Vec::new();
    };
    let variable = |name: &str| std::env::var_os(name);
    CacheGround { home: &home, roots, data, variable: &variable }.caches()
}

/// What a command may do in this folder that may reach what rules allow.
pub(super) fn derived_here(loaded: &LoadedConfig, mode: Mode, agent: &AgentId, ctx: &Context) -> Derived {
    let (programs, roots) = (program_folders(), ctx.roots(loaded));
    let reading = Reading::Needed { programs: &programs, named: &[] };
    derive(&loaded.policy, mode, agent, (&roots, reading), ctx)
}

fn derive(
    policy: &Policy,
    mode: Mode,
    agent: &AgentId,
    (roots, reading): (&[PathBuf], Reading<'_>),
    ctx: &Context,
) -> Derived {
    let (home, grants, caches) = (home_folder(), Grants::default(), caches(roots, ctx));
    let standing = SessionStanding { mode, bypass: false, grants: &grants, servers: &[] };
    Ground { policy, standing, agent, roots, home: home.as_deref(), caches: &caches }.profile(reading)
}

/// What a command of `session` may do, less the variables that look like secrets.
pub(super) fn profile_of(
    (gate, session): (&Gate, &Session),
    keep: &[String],
    reading: Reading<'_>,
    ctx: &Context,
) -> Derived {
    let policy = gate.policy();
    let mode = policy.mode_of(&session.agent, session.mode);
    let within = (&*session.roots, reading);
    let mut derived = derive(&policy, mode, &session.agent, within, ctx);
    let data = ctx.sources.folders.data.as_deref().filter(|_| !derived.profile.caches.is_empty());
    if let Some(Err(error)) = data.map(|data| CacheStore::new(data).remember(&session.roots)) {
        // Its layers are in memory then.
        ctx.print_note(format!("mayi: caches of tools are not kept: {error}"));
    }
    let redactor = Redactor::default();
    let variables =
        std::env::vars().filter(|(name, value)| redactor.finds_secret(&format!("{name}={value}")));
    let own = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("MAYI_"));
    let withheld = variables.map(|(name, _)| name).chain(own).filter(|name| !keep.contains(name));
    derived.profile.withheld_variables = withheld.collect();
    derived
}

/// The folders in which the user's shell looks for programs.
pub(super) fn program_folders() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Takes back what a command of `session` has made that is protected, and was not there before it; says so.
pub(super) fn take_back(gate: &Gate, session: &Session, before: &Before, ctx: &Context) {
    let Some(data) = ctx.sources.folders.data.as_deref() else { return };
    let (policy, grants, home) = (gate.policy(), Grants::default(), home_folder());
    let mode = policy.mode_of(&session.agent, session.mode);
    let standing = SessionStanding { mode, bypass: false, grants: &grants, servers: &[] };
    let roots = &session.roots;
    let (agent, home) = (&session.agent, home.as_deref());
    let ground = Ground { policy: &policy, standing, agent, roots, home, caches: &[] };
    for line in ground.take_back(before, data) {
        print::stderr_line(format!("mayi: {}", escape_line(&line)));
    }
}

/// The tier that was asked for, or the strongest that there is, and why there is no stronger one.
///
/// # Errors
/// If this machine does not have it.
pub(super) fn choose_tier(asked: Option<TierArg>, ctx: &Context) -> Result<(Tier, Option<String>), CliError> {
    let (strongest, why) = match asked {
        // Nothing has to hold.
        Some(TierArg::None) => (Tier::None, None),
        _ => tried::tier(ctx),
    };
    let asked = asked.map(Tier::from);
    if strongest < asked.unwrap_or(Tier::Kernel) {
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        return Err(CliError::confinement(format!(
            "it can't be held here by more than the {strongest} tier{why}"
        )));
    }
    let why = why.filter(|_| asked.is_none()).map(|why| format!("held by the {strongest} tier alone: {why}"));
    Ok((asked.unwrap_or(strongest), why))
}

/// What of a profile is not held by the tier that a command runs in, one line each.
///
/// # Errors
/// If there is more to hold than the strongest tier can: a command never runs by a weaker one that nobody named.
pub(super) fn what_is_not_held(tier: Tier, derived: &Derived) -> Result<Vec<String>, CliError> {
    let short = tier.shortfalls(&derived.profile);
    if tier == Tier::Full
        && let Some(why) = derived.incomplete.iter().chain(&short).next()
    {
        let text = format!("the full tier can't hold all of it: {why}; --tier kernel runs it without that");
        return Err(CliError::confinement(text));
    }
    let mut notes: Vec<String> =
        short.into_iter().map(|text| format!("not held by the {tier} tier: {text}")).collect();
    // Elsewhere there is nothing to be read, where not everything is.
    let elsewhere = derived.profile.readable.as_ref().map_or(derived.here_alone.len(), |_| 0);
    let left = derived.left_out.len() + elsewhere;
    if left > 0 {
        notes.push(format!("not held: {left} of the rules about files (mayi sandbox show says which)"));
    }
    Ok(notes)
}
