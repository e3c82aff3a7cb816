"""Says whom the wheel is for: any Python 3, on one platform; what its program is called there, and what goes beside it."""

import os
import pathlib

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    """Hatchling finds it by its kind."""

    def initialize(self, version, build_data):
        program = os.environ["MAYI_WHEEL_PROGRAM"]
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['MAYI_WHEEL_PLATFORM']}"
        build_data["shared_scripts"] = {program: program}
        # One by one: of a folder nothing is taken where no module is looked for.
        share = sorted(file for file in (pathlib.Path(self.root) / "share").rglob("*") if file.is_file())
        build_data["shared_data"] = {str(file): file.relative_to(self.root).as_posix() for file in share}
