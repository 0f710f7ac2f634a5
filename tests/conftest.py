"""What every test stands on: an isolated home, no noise, nothing left behind, real vaults."""

pytest_plugins = [
    "pytester",
    "tests.helpers.guards.isolation",
    "tests.helpers.processes.shared_bytecode",
    "tests.helpers.keyrings",
    "tests.helpers.encryption",
    "tests.helpers.guards.unexpected_logs",
    "tests.helpers.guards.leaks",
    "tests.helpers.guards.modals",
    "tests.helpers.vaults",
    "tests.helpers.loops",
    "tests.helpers.sample_data",
    "tests.helpers.guards.database_opens",
    "tests.helpers.disks",
    "tests.helpers.logged_output",
]
