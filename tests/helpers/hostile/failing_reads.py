"""A disk whose reads fail while a switch is on, for a process that loads the library made here first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* A read of a file in FAILING_FOLDER whose name has FAILING_NAME in it fails while FAILING_SWITCH exists. */
static int fails(int descriptor) {
    const char *folder = getenv("FAILING_FOLDER"), *name = getenv("FAILING_NAME"), *on = getenv("FAILING_SWITCH");
    char link[64], path[4096];
    if (!folder || !name || !on || access(on, F_OK)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return !strncmp(path, folder, strlen(folder)) && strstr(path, name) != NULL;
}

ssize_t pread64(int descriptor, void *buffer, size_t count, off64_t offset) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pread64");
    if (fails(descriptor)) { errno = EIO; return -1; }
    return real(descriptor, buffer, count, offset);
}

ssize_t pread(int descriptor, void *buffer, size_t count, off_t offset) {
    return pread64(descriptor, buffer, count, offset);
}

ssize_t read(int descriptor, void *buffer, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    if (fails(descriptor)) { errno = EIO; return -1; }
    return real(descriptor, buffer, count);
}
"""


class CannotFailError(Exception):
    """Why reads cannot be let fail here."""


class FailingReads:
    """Reads of a process that fail between ``begin`` and ``end``.

    Args:
        folder: An empty folder for the library and the switch.
        vault: Whose files cannot be read.
        name: Part of the names of the files; all where it is empty.

    Raises:
        CannotFailError: There is no way to let them fail here.
    """

    def __init__(self, folder: Path, vault: Path, name: str = "") -> None:
        self._switch = folder / "reads-fail"
        self._library = _built(folder)
        self._vault, self._name = vault, name

    @classmethod
    def build(cls, folder: Path, vault: Path) -> "FailingReads | None":
        """Return them, ``None`` where reads cannot be let fail."""
        try:
            return cls(folder, vault)
        except CannotFailError as error:
            sys.stdout.write(f"no reads are let fail: {error}\n")
            return None

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of the process."""
        return {
            **os.environ,
            "LD_PRELOAD": str(self._library),
            "FAILING_FOLDER": str(self._vault),
            "FAILING_NAME": self._name,
            "FAILING_SWITCH": str(self._switch),
        }

    def begin(self) -> None:
        """Let reads fail from now on."""
        self._switch.touch()

    def end(self) -> None:
        """Let reads succeed again."""
        self._switch.unlink()


def _built(folder: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or not Path("/proc/self/fd").is_dir():
        raise CannotFailError("it needs a C compiler (cc) and /proc")
    source, library = folder / "failing_reads.c", folder / "failing_reads.so"
    source.write_text(_SOURCE)
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise CannotFailError(f"the library could not be built: {answer.stderr[:200]}")
    return library
