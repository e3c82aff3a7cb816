"""What every package is made of: the project's own words about itself, and the files that go beside the program."""

import json
import os
import pathlib
import shutil
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
SHELLS = {"bash": "mayi.bash", "zsh": "_mayi", "fish": "mayi.fish"}

_workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
# The one place where the version stands; that the extension's own manifest has the same is held by a test.
VERSION = _workspace["version"]
LICENSE = _workspace["license"]
SUMMARY = _workspace["description"]
PLATFORMS = tomllib.loads((HERE / "platforms.toml").read_text())
# Where the sources are, as the code host says it, so that no file here has to know.
REPOSITORY = os.environ.get("MAYI_REPOSITORY", "")
# Nobody reads mail there: whoever publishes says who they are.
MAINTAINER = os.environ.get("MAYI_MAINTAINER", "the mayi authors <mayi@mayi.invalid>")
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]


def run(words, **options):
    """Runs a program that has to end well, and has nothing to say then."""
    words = [str(word) for word in words]
    # On Windows some programs have other ends than `.exe`.
    words[0] = shutil.which(words[0]) or words[0]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stdout.decode(errors='replace').strip()}")
    return done.stdout


def commit():
    """The commit that is packaged, and the second in which it was made: the date of all files in packages."""
    text = run(["git", "-C", ROOT, "log", "-1", "--format=%H %ct"]).decode().split()
    return text[0], int(text[1])


def copy(source, target, mode=0o644):
    """A copy with the rights that it should have, whatever the checkout's are."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)
    return target


def write(target, text, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    target.chmod(mode)
    return target


def write_json(target, value):
    return write(target, json.dumps(value, indent=2) + "\n")


class Product:
    """The program for one platform, and what goes beside it."""

    def __init__(self, program, target, quick, stage):
        self.program = program
        self.target = target
        self.platform = PLATFORMS[target]
        # For tests: packed with less effort.
        self.quick = quick
        self.stage = stage
        self.man = stage / "man"
        self.completions = stage / "completions"
        self.schema = stage / "mayi.schema.json"
        self.third_party = stage / "THIRD-PARTY.txt"

    @property
    def suffix(self):
        return ".exe" if "windows" in self.target else ""

    def collect(self, man_program, third_party):
        """Has the program and its companion write what they know: completions, the schema, man pages."""
        home = self.stage / "home"
        home.mkdir()
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "NO_COLOR": "1"}
        told = run([self.program, "--version"], env=env).decode().split()
        if told != ["mayi", VERSION]:
            raise SystemExit(f"{self.program} is {' '.join(told)}, and Cargo.toml says {VERSION}: build it anew")
        for shell, name in SHELLS.items():
            write(self.completions / name, run([self.program, "completions", shell], env=env).decode())
        write(self.schema, run([self.program, "config", "schema"], env=env).decode())
        run([man_program, self.man], env=env)
        write(self.third_party, third_party)

    def licenses(self, folder):
        for name in LICENSES:
            copy(ROOT / name, folder / name)
        copy(self.third_party, folder / self.third_party.name)
