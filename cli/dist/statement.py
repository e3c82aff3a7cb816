"""Checksums of what was made, and how it was made: an in-toto statement of the SLSA kind. It is not signed; the code host's own
attestations are (.github/workflows/release.yml)."""

import datetime
import hashlib
import pathlib
import platform
import re

from product import REPOSITORY, ROOT, run, write, write_json

SUMS = "SHA256SUMS"


def sha256(file):
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def checksums(files, out):
    return write(out / SUMS, "".join(f"{sha256(file)}  {file.name}\n" for file in sorted(files)))


def read_checksums(file):
    """The sums by the names of the files."""
    lines = pathlib.Path(file).read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def tool(words, pattern=r"(\d+\.\d+[^\s]*)"):
    found = re.search(pattern, run(words).decode())
    return found[1] if found else "unknown"


def provenance(files, out, profile, target, commit, moment, tools):
    changed = run(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"]).decode().strip()
    at = datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat()
    lock = {"uri": "Cargo.lock", "digest": {"sha256": sha256(ROOT / "Cargo.lock")}}
    source = {"uri": REPOSITORY or "the checkout", "digest": {"gitCommit": commit}}
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": sha256(file)}} for file in sorted(files)],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "just dist",
                "externalParameters": {"profile": profile, "target": target},
                "internalParameters": {"clean": not changed, "committed": at},
                "resolvedDependencies": [source, lock],
            },
            "runDetails": {
                "builder": {"id": f"{platform.system()} {platform.machine()}", "version": tools},
                "metadata": {"invocationId": commit},
            },
        },
    }
    return write_json(out / f"mayi-{target}.provenance.json", statement)


def verify(out):
    """Names of files that are not what the sums say."""
    sums = read_checksums(out / SUMS)
    return [name for name, digest in sums.items() if not (out / name).is_file() or sha256(out / name) != digest]
