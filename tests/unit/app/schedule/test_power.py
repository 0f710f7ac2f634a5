"""The power supply as the platform describes it, and what heavy work makes of it."""

from datetime import timedelta
from pathlib import Path

import pytest

from app.schedule.deferral import reason_to_wait, waited_sentence
from app.schedule.power import PowerState, linux_power, macos_power, read_power, windows_power

HOUR = timedelta(hours=1)


def supply(folder: Path, name: str, **files: str) -> None:
    (folder / name).mkdir(parents=True)
    for file, text in files.items():
        (folder / name / file).write_text(f"{text}\n", encoding="ascii")


@pytest.mark.parametrize(
    ("supplies", "found"),
    [
        ({}, PowerState()),
        ({"AC": {"type": "Mains", "online": "1"}}, PowerState()),
        (
            {
                "AC": {"type": "Mains", "online": "0"},
                "BAT0": {"type": "Battery", "status": "Discharging", "capacity": "63"},
            },
            PowerState(is_on_battery=True, percent=63),
        ),
        (
            {
                "AC": {"type": "Mains", "online": "1"},
                "BAT0": {"type": "Battery", "status": "Charging", "capacity": "63"},
            },
            PowerState(percent=63),
        ),
        (
            {
                "USB-C": {"type": "USB", "online": "1"},
                "BAT0": {"type": "Battery", "status": "Discharging", "capacity": "40"},
            },
            PowerState(percent=40),
        ),
        (
            {"mouse": {"type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "5"}},
            PowerState(),
        ),
        (
            {
                "BAT0": {"type": "Battery", "status": "Discharging", "capacity": "20"},
                "BAT1": {"type": "Battery", "status": "Unknown", "capacity": "80"},
            },
            PowerState(is_on_battery=True, percent=50),
        ),
        ({"BAT0": {"type": "Battery", "status": "Discharging", "capacity": "?"}}, PowerState(is_on_battery=True)),
        ({"odd": {}}, PowerState()),
    ],
)
def test_the_files_of_the_kernel(tmp_path: Path, supplies: dict[str, dict[str, str]], found: PowerState) -> None:
    for name, files in supplies.items():
        supply(tmp_path, name, **files)
    assert linux_power(tmp_path) == found


def test_a_machine_without_that_folder_counts_as_on_mains(tmp_path: Path) -> None:
    assert linux_power(tmp_path / "none") == PowerState()


def test_the_other_platforms() -> None:
    battery = "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t87%; discharging; 4:10 remaining\n"
    mains = "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged; 0:00 remaining present: true\n"
    assert macos_power(battery) == PowerState(is_on_battery=True, percent=87)
    assert macos_power(mains) == PowerState(percent=100)
    assert macos_power("") == PowerState()
    assert windows_power(0, 31) == PowerState(is_on_battery=True, percent=31)
    assert windows_power(1, 255) == PowerState()
    assert windows_power(255, 255) == PowerState()
    assert isinstance(read_power(), PowerState)


ON_BATTERY = PowerState(is_on_battery=True, percent=60)


@pytest.mark.parametrize(
    ("waited", "power", "is_typing", "waits", "reason"),
    [
        (HOUR * 0, PowerState(), False, True, ""),
        (HOUR / 2, PowerState(), True, True, "you are typing"),
        (HOUR * 1.1, PowerState(), True, True, ""),
        (HOUR, ON_BATTERY, False, True, "on battery"),
        (HOUR, ON_BATTERY, False, False, ""),
        (HOUR * 25, ON_BATTERY, False, True, ""),
        (HOUR, PowerState(is_on_battery=True, percent=97), False, True, ""),
        (HOUR * 25, PowerState(is_on_battery=True, percent=12), False, True, "the battery is low"),
        (HOUR, PowerState(is_on_battery=True), False, True, "on battery"),
        (HOUR * 2, ON_BATTERY, True, True, "on battery"),
    ],
)
def test_heavy_work_waits(waited: timedelta, power: PowerState, is_typing: bool, waits: bool, reason: str) -> None:
    assert reason_to_wait(waited, power, is_typing=is_typing, waits_on_battery=waits) == reason


def test_how_long_it_waited_in_words() -> None:
    assert waited_sentence(timedelta(seconds=20), "on battery") == "Waited 1 minute: on battery."
    assert waited_sentence(timedelta(minutes=40), "on battery") == "Waited 40 minutes: on battery."
    assert waited_sentence(timedelta(hours=5), "you are typing") == "Waited 5 hours: you are typing."
