#!/usr/bin/env python3
"""Homebrew's formula, from the checksums of archives that were made: so it has no version or sum of its own to go stale.

    formula.py SHA256SUMS ADDRESS     ADDRESS is the folder with the archives, as a URL
"""

import sys

from archive import name
from product import LICENSE, SUMMARY, VERSION
from statement import read_checksums

# Homebrew's blocks, and what is taken there; musl's program runs on every Linux.
BLOCKS = [
    ("on_macos", [("arm", "aarch64-apple-darwin"), ("intel", "x86_64-apple-darwin")]),
    ("on_linux", [("arm", "aarch64-unknown-linux-musl"), ("intel", "x86_64-unknown-linux-musl")]),
]

FORMULA = '''\
class Mayi < Formula
  desc "{summary}"
  homepage "{address}"
  version "{version}"
  license any_of: [{licenses}]

{blocks}
  def install
    bin.install "mayi"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/mayi.bash" => "mayi"
    zsh_completion.install "completions/_mayi"
    fish_completion.install "completions/mayi.fish"
    pkgshare.install "mayi.schema.json"
    doc.install Dir["*.md"], Dir["LICENSE-*"], "THIRD-PARTY.txt"
  end

  test do
    assert_equal "mayi #{{version}}\\n", shell_output("#{{bin}}/mayi --version")
    assert_match "denied", shell_output("#{{bin}}/mayi check shell 'rm -rf /' --json")
  end
end
'''


def block(system, archives, sums, address):
    lines = [f"  {system} do"]
    for processor, target in archives:
        file = f"{name(target)}.tar.gz"
        if file not in sums:
            raise SystemExit(f"there is no checksum of {file}: a formula is for all systems, or for none")
        lines += [f"    on_{processor} do", f'      url "{address}/{file}"', f'      sha256 "{sums[file]}"', "    end"]
    return "\n".join([*lines, "  end\n"])


def formula(sums, address):
    blocks = "\n".join(block(system, archives, sums, address) for system, archives in BLOCKS)
    licenses = ", ".join(f'"{one}"' for one in LICENSE.split(" OR "))
    return FORMULA.format(summary=SUMMARY.removeprefix("The ").capitalize(), address=address, version=VERSION, licenses=licenses, blocks=blocks)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    print(formula(read_checksums(sys.argv[1]), sys.argv[2].rstrip("/")), end="")
