"""The extension for VS Code with the program in it, for one platform."""

import json
import os
import shutil

from product import ROOT, VERSION, copy, run, write_json

EXTENSION = ROOT / "editors/vscode"


def build(product, out, moment):
    manifest = json.loads((EXTENSION / "package.json").read_text())
    if manifest["version"] != VERSION:
        raise SystemExit(f"the extension is {manifest['version']}, and Cargo.toml says {VERSION}")
    run(["npm", "run", "--silent", "build"], cwd=EXTENSION)
    stage = product.stage / "vsix"
    for name in [".vscodeignore", "README.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]:
        copy(EXTENSION / name, stage / name)
    for name in ["media", "images", "dist"]:
        shutil.copytree(EXTENSION / name, stage / name)
    copy(product.program, stage / "bin" / f"mayi{product.suffix}", 0o755)
    # It is built already; what stays is what the editor reads.
    for key in ("scripts", "devDependencies"):
        manifest.pop(key, None)
    write_json(stage / "package.json", manifest)
    target = out / f"mayi-vscode-{product.platform['vsix']}-{VERSION}.vsix"
    vsce = EXTENSION / "node_modules/@vscode/vsce/vsce"
    words = ["--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository"]
    run(
        ["node", vsce, "package", *words, "--target", product.platform["vsix"], "--out", target],
        cwd=stage,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)},
    )
    return [target]
