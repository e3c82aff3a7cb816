"""Packages of npm: one with a launcher and its manual, which depends on exactly one version of one for each platform, of which npm
installs the one that fits. None of them has a script that runs while it is installed."""

import os

from product import HERE, LICENSE, LICENSES, PLATFORMS, REPOSITORY, ROOT, SUMMARY, VERSION, copy, run, write_json


def build(product, out, moment):
    main, own = product.stage / "npm/main", product.stage / "npm/platform"
    lay_main(product, main)
    lay_own(product, own)
    return [pack(folder, out) for folder in (main, own)]


def manifest(name, description, **more):
    repository = {"repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}} if REPOSITORY else {}
    return {"name": name, "version": VERSION, "description": description, "license": LICENSE, **repository, **more}


def lay_main(product, folder):
    copy(HERE / "npm/mayi.js", folder / "bin/mayi.js", 0o755)
    platforms = [platform["npm"] for platform in PLATFORMS.values()]
    write_json(folder / "bin/platforms.json", platforms)
    pages = sorted(page.name for page in product.man.iterdir())
    for page in pages:
        copy(product.man / page, folder / "man" / page)
    for script in product.completions.iterdir():
        copy(script, folder / "completions" / script.name)
    copy(HERE / "README.md", folder / "README.md")
    # No program is in it, so it is the same from everywhere.
    for name in LICENSES:
        copy(ROOT / name, folder / name)
    write_json(folder / "package.json", manifest(
        "mayi",
        SUMMARY,
        keywords=["agent", "acp", "mcp", "permissions", "approval"],
        bin={"mayi": "bin/mayi.js"},
        man=[f"man/{page}" for page in pages],
        engines={"node": ">=18"},
        optionalDependencies={platform["name"]: VERSION for platform in platforms},
    ))


def lay_own(product, folder):
    npm = product.platform["npm"]
    copy(product.program, folder / f"bin/mayi{product.suffix}", 0o755)
    product.licenses(folder)
    libc = {"libc": [npm["libc"]]} if "libc" in npm else {}
    write_json(folder / "package.json", manifest(
        npm["name"],
        f"The program mayi for {product.target}; it comes with the package mayi",
        os=[npm["os"]],
        cpu=[npm["cpu"]],
        **libc,
        # Yarn keeps packages packed, and a packed program does not start.
        preferUnplugged=True,
    ))


def pack(folder, out):
    # No settings of whoever runs it, and nothing that asks a network.
    env = {**os.environ, "npm_config_update_notifier": "false", "npm_config_offline": "true"}
    # What it prints is of another form in each version.
    before = set(out.iterdir())
    run(["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", out, folder], env=env)
    (made,) = set(out.iterdir()) - before
    return made
