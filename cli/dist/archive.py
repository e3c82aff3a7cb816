"""The archive: all of it, to be unpacked anywhere."""

import gzip
import tarfile
import time
import zipfile

from product import ROOT, VERSION, copy


def name(target):
    """What its folder is called, and the file but for its end."""
    return f"mayi-{VERSION}-{target}"


def build(product, out, moment):
    folder = product.stage / "archive" / name(product.target)
    copy(product.program, folder / f"mayi{product.suffix}", 0o755)
    for page in product.man.iterdir():
        copy(page, folder / "man/man1" / page.name)
    for script in product.completions.iterdir():
        copy(script, folder / "completions" / script.name)
    copy(product.schema, folder / product.schema.name)
    for page in ("README.md", "CHANGELOG.md", "THREATS.md"):
        copy(ROOT / page, folder / page)
    product.licenses(folder)
    return [zipped(product, folder, out, moment) if product.suffix else tarred(product, folder, out, moment)]


def files(folder):
    return sorted(file for file in folder.rglob("*") if file.is_file())


def tarred(product, folder, out, moment):
    target = out / f"{folder.name}.tar.gz"

    def own(info):
        info.mtime, info.uid, info.gid, info.uname, info.gname = moment, 0, 0, "", ""
        return info

    with target.open("wb") as raw, gzip.GzipFile("", "wb", 1 if product.quick else 9, raw, mtime=moment) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for file in files(folder):
                tar.add(file, file.relative_to(folder.parent), filter=own)
    return target


def zipped(product, folder, out, moment):
    target = out / f"{folder.name}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1 if product.quick else 9) as packed:
        for file in files(folder):
            info = zipfile.ZipInfo.from_file(file, file.relative_to(folder.parent))
            info.date_time = time.gmtime(moment)[:6]
            packed.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return target
