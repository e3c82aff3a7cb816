"""The wheel, by hatchling: pip, pipx and uv put the program on the search path, and no Python stands before it."""

import os

from debian import PLACES
from product import HERE, VERSION, copy, run
from program import wheel_platform


def build(product, out, moment, python):
    stage = product.stage / "wheel"
    for file in (HERE / "python").iterdir():
        copy(file, stage / file.name)
    copy(HERE / "README.md", stage / "README.md")
    product.licenses(stage)
    program = f"mayi{product.suffix}"
    copy(product.program, stage / program, 0o755)
    for page in product.man.iterdir():
        copy(page, stage / "share/man/man1" / page.name)
    # In the places below `share` where shells look on the systems that wheels are for.
    for name, place in PLACES.items():
        copy(product.completions / name, stage / place.removeprefix("usr/"))
    env = {
        **os.environ,
        "SOURCE_DATE_EPOCH": str(moment),
        "MAYI_VERSION": VERSION,
        "MAYI_WHEEL_PLATFORM": wheel_platform(product),
        "MAYI_WHEEL_PROGRAM": program,
    }
    before = set(out.iterdir())
    run([python, "-m", "hatchling", "build", "--target", "wheel", "--directory", out], cwd=stage, env=env)
    return sorted(set(out.iterdir()) - before)
