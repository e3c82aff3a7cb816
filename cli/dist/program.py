"""What a built program needs of the system that it runs on."""

import re
import shutil

from product import run

# Libraries of others that a program of Rust's may need, and Debian's packages of them.
DEBIAN = {"libgcc_s.so.1": "libgcc-s1"}
OF_LIBC = ("libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.", "libutil.so.", "ld-linux")


def needs(program):
    """The shared libraries that it is linked with, and the newest version of glibc whose functions it asks for."""
    if shutil.which("readelf") is None:
        raise SystemExit("there is no readelf: install binutils")
    dynamic = run(["readelf", "--wide", "--dynamic", program]).decode()
    versions = run(["readelf", "--wide", "--version-info", program]).decode()
    libraries = re.findall(r"\(NEEDED\).*\[(.+?)\]", dynamic)
    glibc = sorted({tuple(map(int, text.split("."))) for text in re.findall(r"\bGLIBC_(\d+\.\d+)", versions)})
    return libraries, glibc[-1] if glibc else None


def depends(program):
    """The same as the dependencies of a Debian package."""
    libraries, glibc = needs(program)
    found = [f"libc6 (>= {glibc[0]}.{glibc[1]})"] if glibc else []
    for library in libraries:
        if library in DEBIAN:
            found.append(DEBIAN[library])
        elif not library.startswith(OF_LIBC):
            raise SystemExit(f"{program} needs {library}, which no package of these is known to bring")
    return ", ".join(found)


def wheel_platform(product):
    """The platform's tag of a wheel: with the glibc that this very program needs."""
    tag = product.platform["wheel"]
    if "GLIBC" not in tag:
        return tag
    _, glibc = needs(product.program)
    # Pip knows of none that is older, and Rust builds for none.
    glibc = max(glibc or (2, 17), (2, 17))
    return tag.replace("GLIBC", f"{glibc[0]}_{glibc[1]}")
