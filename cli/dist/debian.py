"""The Debian package, by dpkg-deb, which every such system has."""

import gzip
import hashlib
import os
import time
from email.utils import formatdate

from product import HERE, LICENSE, MAINTAINER, REPOSITORY, SUMMARY, VERSION, copy, run, write
from program import depends

PLACES = {
    "mayi.bash": "usr/share/bash-completion/completions/mayi",
    "_mayi": "usr/share/zsh/vendor-completions/_mayi",
    "mayi.fish": "usr/share/fish/vendor_completions.d/mayi.fish",
}


def build(product, out, moment):
    if "debian" not in product.platform:
        return []
    root = product.stage / "debian"
    copy(product.program, root / "usr/bin/mayi", 0o755)
    for page in product.man.iterdir():
        packed(root / "usr/share/man/man1" / f"{page.name}.gz", page.read_bytes())
    for name, place in PLACES.items():
        copy(product.completions / name, root / place)
    copy(product.schema, root / "usr/share/mayi" / product.schema.name)
    documents = root / "usr/share/doc/mayi"
    packed(documents / "THIRD-PARTY.txt.gz", product.third_party.read_bytes())
    write(documents / "copyright", copyright(time.gmtime(moment).tm_year))
    packed(documents / "changelog.gz", changelog(moment).encode())
    installed = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    write(root / "DEBIAN/control", control(product, installed))
    write(root / "DEBIAN/md5sums", sums(root))
    for folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    target = out / f"mayi_{VERSION}_{product.platform['debian']}.deb"
    packing = ["-Zgzip", "-z1"] if product.quick else ["-Zxz", "-z9"]
    # It gives all files the date of the commit, and root as their owner.
    run(["dpkg-deb", "--root-owner-group", *packing, "--build", root, target], env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)})
    return [target]


def packed(target, data):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(data, 9, mtime=0))
    target.chmod(0o644)


def control(product, installed):
    fields = {
        "Package": "mayi",
        "Version": VERSION,
        "Architecture": product.platform["debian"],
        "Maintainer": MAINTAINER,
        "Installed-Size": installed,
        "Depends": depends(product.program),
        "Section": "utils",
        "Priority": "optional",
        "Homepage": REPOSITORY,
        "Description": SUMMARY[0].lower() + SUMMARY[1:],
    }
    more = (HERE / "README.md").read_text().split("\n\n")[2].replace("\n", "\n ")
    return "".join(f"{key}: {value}\n" for key, value in fields.items() if value) + f" {more}\n"


def copyright(year):
    common = "On Debian systems the text is in /usr/share/common-licenses/Apache-2.0."
    expression = LICENSE.replace(" OR ", " or ").replace("MIT", "Expat")
    expat = (HERE.parent.parent / "LICENSE-MIT").read_text().strip().split("\n\n", 1)[1]
    body = "\n".join(f" {line}" if line.strip() else " ." for line in expat.splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: mayi\n\n"
        f"Files: *\nCopyright: {year} the mayi authors\nLicense: {expression}\n\n"
        f"License: Expat\n{body}\n\nLicense: Apache-2.0\n {common}\n"
    )


def changelog(moment):
    return f"mayi ({VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- {MAINTAINER}  {formatdate(moment)}\n"


def sums(root):
    files = sorted(file for file in (root / "usr").rglob("*") if file.is_file())
    return "".join(f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(root)}\n" for file in files)
