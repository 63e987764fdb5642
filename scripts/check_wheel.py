"""Check the output of `python -m build`: contents, size, platform, and use in a clean environment.

    python scripts/check_wheel.py dist

On Linux the wheel is given the name of the platforms that it runs on, together with the libraries it needs there.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

MOST_BYTES = 5_000_000
SMOKE = Path(__file__).with_name("smoke.py").resolve()
EXPECTED = {"vitalfew/__init__.py", "vitalfew/py.typed", "vitalfew/_core.pyi"}
TOPS = ("vitalfew", "vitalfew.libs", "vitalfew.dylibs")
KINDS = {".py", ".pyi", ".typed", ".so", ".pyd", ".html", ".css", ".js", ".json", ".md"}


def main(folder: Path) -> None:
    """Check the one wheel and the one source distribution of a folder."""
    (source,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    check_source(source)
    if sys.platform == "linux":
        wheel = repaired(wheel)
    check_contents(wheel)
    check_in_an_empty_place(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB; {source.name}: {source.stat().st_size / 1e6:.2f} MB")


def check_source(source: Path) -> None:
    """Check that the source distribution contains the core and the tests."""
    with tarfile.open(source) as archive:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()}
    for needed in (
        "CMakeLists.txt",
        "LICENSE",
        "cpp/src/base/parallel.cpp",
        "tests/test_package.py",
        "src/vitalfew/py.typed",
    ):
        expect(needed in names, f"{source.name} has no {needed}")
    built = sorted(name for name in names if name.endswith((".so", ".pyc", ".whl")))
    expect(not built, f"{source.name} has what was built: {built[:3]}")


def repaired(wheel: Path) -> Path:
    """Replace the wheel by one tagged for the oldest Linux that it runs on."""
    subprocess.run(
        [sys.executable, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", wheel.parent, wheel], check=True
    )
    (made,) = (path for path in wheel.parent.glob("*.whl") if path != wheel)
    wheel.unlink()
    return made


def check_contents(wheel: Path) -> None:
    """Check that the wheel contains the package, its metadata and nothing else."""
    expect(wheel.stat().st_size < MOST_BYTES, f"{wheel.name} has {wheel.stat().st_size} bytes, more than {MOST_BYTES}")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    expect(names >= EXPECTED, f"{wheel.name} lacks {sorted(EXPECTED - names)}")
    expect(sum("_core." in name and not name.endswith(".pyi") for name in names) == 1, "it has not one compiled module")
    for name in names:
        path = PurePosixPath(name)
        expect(path.parts[0] in TOPS or path.parts[0].endswith(".dist-info"), f"{name} does not belong there")
        is_ours = path.parts[0] == "vitalfew" and not name.endswith("/")
        expect(not is_ours or path.suffix in KINDS, f"{name} is of a kind that a wheel does not need")
        expect("tests" not in path.parts, f"{name} is a test")


def check_in_an_empty_place(wheel: Path) -> None:
    """Check that the wheel works in a new environment, away from the sources."""
    with tempfile.TemporaryDirectory() as place:
        environment = Path(place) / "environment"
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        work = Path(place) / "empty"
        work.mkdir()
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wheel.resolve()]
        subprocess.run(pip, cwd=work, check=True)
        subprocess.run([python, "-I", "-W", "error", SMOKE], cwd=work, check=True)
        command = python.with_name("vitalfew").with_suffix(python.suffix)
        said = subprocess.run([command, "--version"], cwd=work, capture_output=True, text=True)
        expect("vitalfew[cli]" in said.stderr, "the command does not say what it needs")


def expect(is_so: bool, complaint: str) -> None:
    """Exit with a message unless a condition holds."""
    if not is_so:
        raise SystemExit(complaint)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
