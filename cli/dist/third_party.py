"""The notices of what is linked into the program, as its licences ask for."""

import json
import pathlib
import subprocess

from product import ROOT

NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")


def linked(target):
    """The packages of others in the program, by name and version: what is needed to build it alone is not in it."""
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    all_of_it = json.loads(subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    packages = {package["id"]: package for package in all_of_it["packages"]}
    nodes = {node["id"]: node for node in all_of_it["resolve"]["nodes"]}
    seen = set()
    waiting = [next(id for id, package in packages.items() if package["name"] == "mayi")]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        # Macros run while it is built; their texts are in what they make, so they count.
        waiting += [one["pkg"] for one in nodes[node]["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]
    others = [packages[id] for id in seen if packages[id]["source"]]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """Its files with notices."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(NAMES)]
    named = package.get("license_file")
    if named and (folder / named).is_file():
        files.append(folder / named)
    return {file.read_text(errors="replace").strip() for file in files}


def notices(target):
    """All of them, each text once, below the names of those that it is of; and how many packages these are."""
    packages = linked(target)
    of = {}
    for package in packages:
        name = f"{package['name']} {package['version']} ({package['license'] or 'see the text'})"
        # Some bring no text along: then what they say of themselves stands for it.
        for text in sorted(texts(package)) or ["By " + (", ".join(package["authors"]) or "its authors") + "."]:
            of.setdefault(text, []).append(name)
    parts = ["\n".join(names) + "\n\n" + text for text, names in sorted(of.items(), key=lambda one: one[1])]
    line = "\n\n" + "=" * 100 + "\n\n"
    head = f"mayi is built with {len(packages)} packages of others. Their notices:"
    return line.join([head, *parts]) + "\n", len(packages)
