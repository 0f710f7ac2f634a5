"""What every test stands on: an isolated home, no noise, nothing left behind, real vaults.

Properties are tried with twenty-five examples each; ``HYPOTHESIS_PROFILE=thorough`` tries a thousand.
"""

import os

from hypothesis import settings

settings.register_profile("suite", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=1_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

pytest_plugins = [
    "pytester",
    "tests.helpers.isolation",
    "tests.helpers.keyrings",
    "tests.helpers.noise",
    "tests.helpers.leaks",
    "tests.helpers.modals",
    "tests.helpers.vaults",
    "tests.helpers.loops",
    "tests.helpers.material",
    "tests.helpers.disks",
]
