//! seccomp: calls of the kernel that a command has no need for, and that lead out of what holds it.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use crate::SandboxError;

/// Numbers of calls that differ from machine to machine.
#[cfg(target_arch = "x86_64")]
mod numbers {
    pub(super) const SOCKET: i64 = 41;
    pub(super) const SOCKETPAIR: i64 = 53;
    pub(super) const IOCTL: i64 = 16;
    /// shmget, shmat, shmctl, semget, semop, semctl, msgget, msgsnd, msgrcv, msgctl, semtimedop, mq_open.
    pub(super) const SHARED: [i64; 12] = [29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240];
    /// prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr: with a process as the first argument.
    pub(super) const OF_PROCESS: [i64; 5] = [302, 142, 144, 203, 314];
    pub(super) const SETPRIORITY: i64 = 141;
    /// add_key, request_key and keyctl (keys of the user's session), perf_event_open, bpf, userfaultfd, and io_uring_setup,
    /// io_uring_enter, io_uring_register (sockets that no filter sees).
    pub(super) const REFUSED: [i64; 9] = [248, 249, 250, 298, 321, 323, 425, 426, 427];
    /// Bit 30: the same calls, for programs with short pointers.
    pub(super) const OTHER_NUMBERS: &[i64] = &[0x4000_0000];
}

#[cfg(target_arch = "aarch64")]
mod numbers {
    pub(super) const SOCKET: i64 = 198;
    pub(super) const SOCKETPAIR: i64 = 199;
    pub(super) const SHARED: [i64; 12] = [194, 196, 195, 190, 193, 191, 186, 189, 188, 187, 192, 180];
    pub(super) const OF_PROCESS: [i64; 5] = [261, 118, 119, 122, 274];
    pub(super) const SETPRIORITY: i64 = 140;
    pub(super) const IOCTL: i64 = 29;
    pub(super) const REFUSED: [i64; 9] = [217, 218, 219, 241, 280, 282, 425, 426, 427];
    pub(super) const OTHER_NUMBERS: &[i64] = &[];
}

/// Families of sockets: a socket of another one than these is refused.
const UNIX: u64 = 1;
const INET: u64 = 2;
const INET6: u64 = 10;
const NETLINK: u64 = 16;

/// `SOCK_DGRAM` and `SOCK_RAW`, which is the same in a file, among the bits that say the kind.
const DATAGRAMS: [u64; 2] = [2, 3];
const KIND: u64 = 0xf;

/// `TIOCSTI` and `TIOCLINUX`: what types into a terminal.
const TYPING: [u64; 2] = [0x5412, 0x541C];

/// Installs the filters in this process, for good.
pub(super) fn install(full: bool) -> Result<(), SandboxError> {
    let program = program(full).map_err(|error| io::Error::other(error.to_string()));
    let program = program.map_err(SandboxError::step("make filters of calls"))?;
    apply_filter(&program)
        .map_err(|error| io::Error::other(error.to_string()))
        .map_err(SandboxError::step("filter calls"))
}

fn program(full: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    // Within a namespace of networks without any, these reach nothing but each other.
    let families: &[u64] = if full { &[INET, INET6, NETLINK] } else { &[NETLINK] };
    let none_of =
        families.iter().map(|family| condition(0, SeccompCmpOp::Ne, *family)).collect::<Result<_, _>>()?;
    let typing = TYPING.iter().map(|call| SeccompRule::new(vec![condition(1, SeccompCmpOp::Eq, *call)?]));
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        numbers::REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(numbers::SOCKET, vec![SeccompRule::new(none_of)?]);
    // A pair of datagram sockets can send to any other socket of its kind by that one's name.
    let datagrams = DATAGRAMS
        .iter()
        .map(|kind| SeccompRule::new(vec![condition(1, SeccompCmpOp::MaskedEq(KIND), *kind)?]));
    rules.insert(numbers::SOCKETPAIR, datagrams.collect::<Result<_, _>>()?);
    if !full {
        // Without namespaces of its own it shares these with all that runs here.
        rules.extend(numbers::SHARED.iter().map(|call| (*call, Vec::new())));
        for call in numbers::OF_PROCESS {
            rules.insert(call, vec![SeccompRule::new(vec![condition(0, SeccompCmpOp::Ne, 0)?])?]);
        }
        let another = condition(1, SeccompCmpOp::Ne, 0)?;
        rules.insert(numbers::SETPRIORITY, vec![SeccompRule::new(vec![another])?]);
    }
    rules.insert(numbers::IOCTL, typing.collect::<Result<_, _>>()?);
    for bit in numbers::OTHER_NUMBERS {
        // No program of today has them.
        let others: Vec<i64> = rules.keys().map(|call| call | bit).collect();
        rules.extend(others.into_iter().map(|call| (call, Vec::new())));
    }
    debug_assert!(!families.contains(&UNIX), "docker's socket, agents for keys, the bus of the session");
    let refused = SeccompAction::Errno(EPERM);
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()
}

/// "Operation not permitted", of errno(3).
const EPERM: u32 = 1;

/// A condition on the low half of an argument, which is what the kernel looks at of these.
fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}
