"""The client libraries, for apps with a loop of their own: a package of npm and a wheel. No program is in them, so they are the same from
everywhere."""

import json
import os
import shutil

from npm_packages import manifest, pack
from product import LICENSES, ROOT, VERSION, copy, run, write, write_json

CLIENTS = ROOT / "acp-server/clients"


def build(product, out, moment, python):
    return [javascript(product.stage / "client-js", out), *python_wheel(product.stage / "client-python", out, moment, python)]


def javascript(stage, out):
    """The package as its folder has it, less what is for those who change it."""
    source = CLIENTS / "typescript"
    # The parts of mayi's page that its card is made of.
    run(["node", source / "card/build.mjs"])
    told = json.loads((source / "package.json").read_text())
    left_out = {name.removeprefix("!") for name in told["files"] if name.startswith("!")}
    for name in told["files"]:
        folder = source / name
        for file in [folder] if folder.is_file() else sorted(folder.rglob("*")):
            if file.is_file() and (inner := file.relative_to(source)).as_posix() not in left_out:
                copy(file, stage / inner)
    for name in LICENSES:
        copy(ROOT / name, stage / name)
    kept = {key: told[key] for key in ("type", "engines", "exports", "types")}
    write_json(stage / "package.json", manifest(told["name"], told["description"], **kept))
    return pack(stage, out)


def python_wheel(stage, out, moment, python):
    source = CLIENTS / "python"
    shutil.copytree(source / "src", stage / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ["README.md", *LICENSES]:
        copy((source if name == "README.md" else ROOT) / name, stage / name)
    text = (source / "pyproject.toml").read_text()
    lines = [f'version = "{VERSION}"' if line.startswith("version = ") else line for line in text.splitlines()]
    write(stage / "pyproject.toml", "\n".join(lines) + "\n")
    before = set(out.iterdir())
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(moment)}
    run([python, "-m", "hatchling", "build", "--target", "wheel", "--directory", out], cwd=stage, env=env)
    return sorted(set(out.iterdir()) - before)
