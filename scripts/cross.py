"""Build the core and its tests for other systems, and run them if an emulator is installed.

    python scripts/cross.py                      # all targets
    python scripts/cross.py x86_64-windows-gnu   # one of them

The compiler is that of the package `ziglang`: Clang with libc++ and the headers of every system. It makes no wheels,
and sees Windows with the headers of MinGW: what the compilers of Apple and Microsoft say is for
`.github/workflows/wheels.yml`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("test_core", "test_memory")


@dataclass
class Target:
    """CMake's name of a system, and the emulators that can run its programs; none if they run natively."""

    system: str
    processor: str
    emulators: tuple[str, ...] = ()
    can_run: bool = True


TARGETS = {
    # Not x86_64-linux-musl: this compiler lacks the runtime library of __builtin_cpu_supports there.
    "aarch64-linux-musl": Target("Linux", "aarch64", ("qemu-aarch64", "qemu-aarch64-static")),
    "aarch64-macos.11.0": Target("Darwin", "arm64", can_run=False),
    "x86_64-windows-gnu": Target("Windows", "AMD64", ("wine64", "wine")),
}


def main(names: list[str]) -> None:
    """Build for all targets, or for the named ones, and print the results."""
    unknown = sorted(set(names) - set(TARGETS))
    if unknown:
        raise SystemExit(f"no target {unknown[0]!r}; there are {', '.join(TARGETS)}.")
    missing = [tool for tool in ("cmake", "ninja") if shutil.which(tool) is None]
    if find_spec("ziglang") is None or missing:
        raise SystemExit(f"{', '.join(missing) or 'ziglang'} is missing: pip install ziglang cmake ninja")
    said = {name: check(name, TARGETS[name]) for name in names or TARGETS}
    for name, outcome in said.items():
        print(f"{name:24}{outcome}")


def check(name: str, target: Target) -> str:
    """Build for a target, with warnings as errors, and run its tests."""
    place = ROOT / "build" / "cross" / name
    place.mkdir(parents=True, exist_ok=True)
    settings = {
        "CMAKE_SYSTEM_NAME": target.system,
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "CMAKE_CXX_COMPILER": tool(place, "c++", "-target", name),
        "CMAKE_AR": tool(place, "ar"),
        "CMAKE_RANLIB": tool(place, "ranlib"),
        "CMAKE_CXX_FLAGS": "-Werror",
        "VITALFEW_OPENMP": "OFF",
        "VITALFEW_NATIVE_TESTS": "ON",
    }
    defines = [f"-D{key}={value}" for key, value in settings.items()]
    subprocess.run(["cmake", "-S", ROOT, "-B", place, "-G", "Ninja", *defines], check=True)
    subprocess.run(["cmake", "--build", place, "-j", os.environ.get("JOBS", "2")], check=True)
    if not target.can_run:
        return "built; nothing here can run it"
    emulator = next(filter(None, map(shutil.which, target.emulators)), None)
    if target.emulators and emulator is None:
        return f"built; not run, for want of {' or '.join(target.emulators)}"
    for test in TESTS:
        (program,) = (path for path in place.glob(f"{test}*") if path.suffix in ("", ".exe"))
        command = [program] if emulator is None else [emulator, program]
        subprocess.run(command, env={"WINEDEBUG": "-all"} | os.environ, check=True)
    return "built, tests passed" + (f" ({Path(emulator).name})" if emulator else "")


def tool(place: Path, *command: str) -> str:
    """Write a program for CMake, which accepts only one word, that calls a zig subcommand."""
    path = place / f"zig-{command[0]}"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {" ".join(command)} "$@"\n')
    path.chmod(0o755)
    return str(path)


if __name__ == "__main__":
    main(sys.argv[1:])
