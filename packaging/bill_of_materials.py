"""Bill of materials (CycloneDX 1.6) of what the program ships, and the licences of its parts."""

import json
import platform
import sys
import uuid
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from system_libraries import SystemPackage, packages_in

PROGRAM = "keepsake"
NOTICES = "THIRD-PARTY-NOTICES.txt"
LEFT_OUT = frozenset({"hf-xet"})
"""What a package asks for and the program does without; ``pyinstaller/keepsake.spec`` leaves it out."""
_LICENCE_FILES = ("licen", "copying", "notice", "authors")
_MOST_EXPRESSION = 60  # some packages put the whole text of their licence where its name belongs


def shipped() -> list[metadata.Distribution]:
    """Return every package that the program ships on this platform, by name; without the program itself."""
    distributions: dict[str, metadata.Distribution] = {}
    waiting = [(PROGRAM, frozenset[str]())]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        distribution = metadata.distribution(name)
        distributions[canonicalize_name(name)] = distribution
        for line in distribution.requires or ():
            requirement = Requirement(line)
            environments = [{"extra": extra} for extra in ("", *extras)]
            marker = requirement.marker
            is_wanted = marker is None or any(marker.evaluate(environment) for environment in environments)
            if is_wanted and canonicalize_name(requirement.name) not in LEFT_OUT:
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    del distributions[PROGRAM]
    return [distributions[name] for name in sorted(distributions)]


def licence_of(distribution: metadata.Distribution) -> str:
    """Return the licence that a package declares, empty where it declares none."""
    fields = distribution.metadata
    if expression := fields.get("License-Expression"):
        return expression
    named = [
        line.rsplit("::", 1)[-1].strip()
        for line in fields.get_all("Classifier", [])
        if line.startswith("License ::") and line.count("::") > 1
    ]
    if named:
        return " OR ".join(dict.fromkeys(named))
    text = (fields.get("License") or "").strip()
    return text if len(text) <= _MOST_EXPRESSION and "\n" not in text else ""


def licence_texts(distribution: metadata.Distribution) -> list[tuple[str, str]]:
    """Return name and text of each licence file of a package."""
    texts = []
    for file in distribution.files or ():
        is_metadata = ".dist-info/" in file.as_posix()
        if is_metadata and file.name.lower().startswith(_LICENCE_FILES):
            located = Path(str(file.locate()))
            if located.is_file():
                texts.append((file.name, located.read_text(encoding="utf-8", errors="replace").strip()))
    return texts


def built_in(distribution: metadata.Distribution) -> list[dict[str, object]]:
    """Return what a package was linked with or brings along, by its own bills of materials."""
    parts: dict[str, dict[str, object]] = {}
    for file in distribution.files or ():
        if file.match("*.dist-info/sboms/*.json"):
            for part in json.loads(file.read_text(encoding="utf-8")).get("components", ()):
                # References are unique within one bill only.
                kept = {key: part[key] for key in ("type", "name", "version", "licenses", "purl") if key in part}
                if part["name"] != distribution.metadata["Name"]:
                    parts.setdefault(json.dumps(kept, sort_keys=True), kept)
    return [parts[key] for key in sorted(parts)]


def system_component(package: SystemPackage) -> dict[str, object]:
    """Return a package of the building system, with the places of its libraries in the program."""
    version = quote(package.version, safe="")
    component: dict[str, object] = {
        "type": "library",
        "bom-ref": f"deb:{package.name}@{package.version}",
        "name": package.name,
        "version": package.version,
        "purl": f"pkg:deb/debian/{package.name}@{version}?arch={package.architecture}",
        "licenses": [{"license": {"name": name}} for name in package.licences or (f"see {NOTICES}",)],
        "evidence": {"occurrences": [{"location": file} for file in package.files]},
    }
    return component


def bill(version: str, system: Sequence[SystemPackage] = ()) -> dict[str, object]:
    """Return the bill of materials as CycloneDX 1.6.

    Args:
        version: Version of the program.
        system: What of the building system the program brings along.
    """
    components: list[dict[str, object]] = [
        {
            "type": "platform",
            "bom-ref": "cpython",
            "name": "CPython",
            "version": platform.python_version(),
            "licenses": [{"expression": "PSF-2.0"}],
            "purl": f"pkg:generic/python@{platform.python_version()}",
        }
    ]
    for distribution in shipped():
        name = canonicalize_name(distribution.metadata["Name"])
        component: dict[str, object] = {
            "type": "library",
            "bom-ref": f"{name}@{distribution.version}",
            "name": name,
            "version": distribution.version,
            "purl": f"pkg:pypi/{name}@{distribution.version}",
        }
        if declared := licence_of(distribution):
            component["licenses"] = [{"license": {"name": declared}}]
        if parts := built_in(distribution):
            component["components"] = parts
        components.append(component)
    components += [system_component(package) for package in system]
    reference = f"{PROGRAM}@{version}"
    program = {"type": "application", "bom-ref": reference, "name": PROGRAM, "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # From the content, so that two builds of the same parts give the same file.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components, sort_keys=True))}",
        "version": 1,
        "metadata": {"component": program},
        "components": components,
        "dependencies": [{"ref": reference, "dependsOn": [component["bom-ref"] for component in components]}],
    }


def notices(system: Sequence[SystemPackage] = ()) -> str:
    """Return the licences of all that is shipped, as one text.

    Args:
        system: What of the building system the program brings along.
    """
    parts = [
        "Keepsake is under the MIT licence. It ships the following software of others, each under its own licence.",
        "The built-in model, the icons and the words of invitations have theirs beside them in resources/models,"
        " resources/icons and resources/words.",
    ]
    for distribution in shipped():
        parts.append(_title(distribution.metadata["Name"], distribution.version, licence_of(distribution)))
        parts += [f"--- {name} ---\n\n{text}" for name, text in licence_texts(distribution)]
    for package in system:
        parts += [_title(package.name, package.version, ", ".join(package.licences)), package.terms]
    return "\n\n".join(parts) + "\n"


def _title(name: str, version: str, licence: str) -> str:
    return f"{'=' * 100}\n{name} {version}: {licence or 'see below'}\n{'=' * 100}"


def main(folder: Path, version: str, binaries: Path) -> None:
    """Write ``keepsake.cdx.json`` and ``THIRD-PARTY-NOTICES.txt`` into a folder.

    Args:
        folder: Where they go.
        version: Version of the program.
        binaries: See ``packages_in``.
    """
    system = packages_in(binaries) if sys.platform == "linux" else []
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "keepsake.cdx.json").write_text(json.dumps(bill(version, system), indent=2) + "\n", encoding="utf-8")
    (folder / NOTICES).write_text(notices(system), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
