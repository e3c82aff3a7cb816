#!/usr/bin/env python3
"""Makes every package of mayi for one platform, into target/packages/PROFILE.

    dist.py [PROFILE] [TARGET]

PROFILE is cargo's: `dist`, without one, which is built here with all optimization; with `dev` the program is packaged that the tests
have built, stripped and packed with little effort. TARGET is Rust's name of a platform; without one it is this machine's.

What is needed: Rust, Python 3.11, Node.js with npm, git, binutils, and what the script `install` beside this one installs; dpkg-deb
for the Debian package.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import archive
import clients
import debian
import npm_packages
import python_wheel
import statement
import vsix
from product import HERE, PLATFORMS, ROOT, Product, commit, copy, run, write
from third_party import notices

TARGETS = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def host():
    text = run(["rustc", "-vV"], cwd=ROOT).decode()
    return next(line.split()[1] for line in text.splitlines() if line.startswith("host: "))


def installed(profile):
    """The folder with the tools, as `install` prints it."""
    done = subprocess.run(["bash", (HERE / "install").as_posix(), profile], stdout=subprocess.PIPE, check=True)
    return pathlib.Path(done.stdout.decode().split()[-1])


def flags(target):
    """The same program wherever it is built, and nothing in it about that machine."""
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    words = [f"--remap-path-prefix={home}=/cargo", f"--remap-path-prefix={ROOT}=/mayi"]
    if target.endswith("-windows-msvc"):
        # Nothing that would have to be installed before it.
        words.append("-Ctarget-feature=+crt-static")
    return " ".join(words)


def built(profile, target, tools):
    """Builds the program and the one that writes its man pages, and says where they are."""
    suffix = ".exe" if "windows" in target else ""
    if profile == "dev":
        folder = TARGETS / "debug"
        if not (folder / "mayi").is_file() or not (folder / "mayi-man").is_file():
            raise SystemExit(f"there is no mayi and mayi-man in {folder}: run `just build`")
        return folder / f"mayi{suffix}", folder / f"mayi-man{suffix}"
    # An older glibc than this machine's, so that the program runs where that is older.
    glibc = PLATFORMS[target].get("glibc") if platform.system() == "Linux" else None
    command = ["zigbuild", "--target", f"{target}.{glibc}"] if glibc else ["build", "--target", target]
    env = {**os.environ, "PATH": f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}", "RUSTFLAGS": flags(target)}
    words = ["cargo", "auditable", *command, "--locked", "--profile", profile, "-p", "mayi", "-p", "mayi-man"]
    subprocess.run(words, cwd=ROOT, env=env, check=True)
    folder = TARGETS / target / ("release" if profile == "release" else profile)
    return folder / f"mayi{suffix}", folder / f"mayi-man{suffix}"


def bill_of_materials(target, tools, out, moment):
    """What the program is made of, as CycloneDX tells it."""
    name = f"mayi-{target}.cdx"
    path = f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": str(moment)}
    words = ["cargo", "cyclonedx", "--format", "json", "--target", target, "--no-build-deps", "--override-filename", name]
    made = ROOT / "cli" / f"{name}.json"
    try:
        run([*words, "--manifest-path", ROOT / "cli/Cargo.toml"], cwd=ROOT, env=env)
        # Where the checkout is on this machine is nobody's business.
        return write(out / made.name, made.read_text().replace(ROOT.as_uri(), "file://."))
    finally:
        # It leaves one beside each manifest of the workspace.
        for file in ROOT.glob(f"**/{name}.json"):
            if out not in file.parents:
                file.unlink()


def shown(file):
    size = file.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


def main(words):
    if len(words) > 2 or any(word.startswith("-") for word in words):
        raise SystemExit(__doc__)
    profile = words[0] if words else "dist"
    target = words[1] if len(words) > 1 and words[1] else host()
    if target not in PLATFORMS:
        raise SystemExit(f"{target} is none of {', '.join(PLATFORMS)} (cli/dist/platforms.toml)")
    quick = profile == "dev"
    rows = []
    begin = time.monotonic()

    def done(what, files):
        nonlocal begin
        rows.append((what, ", ".join(f"{file.name} {shown(file)}" for file in files), time.monotonic() - begin))
        begin = time.monotonic()

    tools = installed(profile)
    program, man_program = built(profile, target, tools)
    done("built", [program])
    out = TARGETS / "packages" / profile
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    revision, moment = commit()
    with tempfile.TemporaryDirectory(prefix="mayi-dist-") as folder:
        stage = pathlib.Path(folder)
        stripped = copy(program, stage / program.name, 0o755)
        if platform.system() != "Windows":
            # The program in the cargo's folder stays as it is, for whoever debugs it.
            run(["strip", *(["--strip-all"] if platform.system() == "Linux" else ["-x"]), stripped])
        product = Product(stripped, target, quick, stage)
        text, count = notices(target)
        product.collect(man_program, text)
        done(f"program, stripped, and notices of {count} packages", [stripped])
        made = []
        for what, build in [
            ("archive", archive.build),
            ("Debian package", debian.build),
            ("wheel", lambda *given: python_wheel.build(*given, tools / "venv/bin/python")),
            ("npm packages", npm_packages.build),
            ("extension", vsix.build),
            ("client libraries", lambda *given: clients.build(*given, tools / "venv/bin/python")),
        ]:
            files = build(product, out, moment)
            made += files
            done(what, files)
    if not quick:
        made.append(bill_of_materials(target, tools, out, moment))
        done("bill of materials", made[-1:])
    used = {"rustc": statement.tool(["rustc", "--version"]), "node": statement.tool(["node", "--version"]), "python": platform.python_version()}
    made.append(statement.provenance(made, out, profile, target, revision, moment, used))
    made.append(statement.checksums(made, out))
    done("provenance and checksums", made[-2:])
    for what, files, seconds in rows:
        print(f"{seconds:7.1f} s  {what}: {files or 'none on this platform'}")
    print(f"in {out}")


main(sys.argv[1:])
