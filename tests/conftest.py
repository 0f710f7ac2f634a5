"""What every test stands on: an isolated home, no noise, nothing left behind, real vaults."""

pytest_plugins = [
    "pytester",
    "tests.helpers.isolation",
    "tests.helpers.keyrings",
    "tests.helpers.unexpected_logs",
    "tests.helpers.leaks",
    "tests.helpers.modals",
    "tests.helpers.vaults",
    "tests.helpers.loops",
    "tests.helpers.sample_data",
    "tests.helpers.database_opens",
    "tests.helpers.disks",
    "tests.helpers.logged_output",
]
