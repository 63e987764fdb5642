"""File format of a sealed test set: a zip archive of NumPy arrays and JSON, with checksums and without pickle.

Members::

        0.npy, 1.npy, …  arrays of numbers, booleans, fixed-width text and times (NumPy's format 1.0 or 2.0)
        2.json, …        lists of strings, numbers, booleans and null, where an array would need pickle
    manifest.json    {"format": "vitalfew.sealed/1", "content": …, "members": {name: sha256, …}}
    checksum         sha256 of manifest.json

``content`` is the argument of `write`, with an object ``{"kind": …}`` in place of each array, list, sparse matrix or
data frame, which describes how to rebuild it from members. Anyone can read such a file: the labels are out of sight,
not protected. The manifest comes last, so that an opening is recorded without compressing the data again.

Members are stored or deflated. Their total size is at most `GROWTH` times the size of the file, plus `ALLOWANCE`;
`write` does not compress data that would shrink by more than that.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from vitalfew.evaluation.sealed.members import Members
from vitalfew.evaluation.sealed.pack import Packer
from vitalfew.evaluation.sealed.unpack import check_log, unpacked
from vitalfew.exceptions import SealedFileError
from vitalfew.support.atomic_write import written_aside
from vitalfew.support.limits import read_json

FORMAT = "vitalfew.sealed/1"
GROWTH = 32
ALLOWANCE = 2**26
DEEPEST = 30  # maximum nesting of the manifest
HEAD = ("manifest.json", "checksum")
_NAME = re.compile(r"\d{1,7}\.(npy|json)")
_KEPT = (
    FileNotFoundError,
    PermissionError,
    IsADirectoryError,
    NotADirectoryError,
)  # their messages are already clear


def write(path, content: dict[str, Any]) -> dict[str, str]:
    """Write the file atomically. Return the checksums of the members, which identify a set."""
    packer = Packer()
    packed = {key: packer.pack(value, key) for key, value in content.items()}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in packer.members.items()}
    manifest = {"format": FORMAT, "content": packed, "members": sums}
    archive = _archive(packer.members, manifest)
    with written_aside(path) as file:
        file.write(archive)
    _sync_folder(path)
    return sums


def read(path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the arguments and result of `write`; truncated, modified or other files are rejected."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest, sums = _manifest(archive, path)
            members = {name: _inflated(archive, name) for name in sums}
    except (SealedFileError, *_KEPT):
        raise
    except Exception as problem:  # incomplete archives fail in many ways
        raise _not_whole(path, problem) from None
    for name, data in members.items():
        if hashlib.sha256(data).hexdigest() != sums[name]:
            raise _changed(path, name)
    try:
        return unpacked(manifest["content"], Members(members)), sums
    except Exception as problem:  # inconsistent parts fail in many ways too, in NumPy, SciPy and data frames
        raise SealedFileError(
            f"{str(path)!r} is not a valid sealed test set: its parts are inconsistent "
            f"({type(problem).__name__}: {problem}). Use an unchanged copy, or split again."
        ) from None


def read_log(path, sums: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the openings recorded in a file, after checking that it holds the set with these checksums."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest, found = _manifest(archive, path)
            log = manifest["content"]["log"]["value"]
            check_log(log)
    except (SealedFileError, *_KEPT):
        raise
    except Exception as problem:
        raise _not_whole(path, problem) from None
    if found != sums:
        raise SealedFileError(
            f"{str(path)!r} contains another test set than when this one was saved or loaded, so the opening "
            "cannot be recorded. Save this one under another name, or load the other."
        )
    return log["entries"]


def write_log(path, entries: list[dict[str, Any]]) -> None:
    """Replace the log in a file. The file is replaced atomically and is on disk when this returns."""
    with written_aside(path, "w+b") as file:
        with open(path, "rb") as old, zipfile.ZipFile(old) as archive:
            manifest, sums = _manifest(archive, path)
            manifest["content"]["log"]["value"] = {"entries": entries}
            head, last = (max(archive.getinfo(n).header_offset for n in names) for names in (HEAD[:1], sums))
            if head < last:  # layout of files from before openings were recorded in them
                file.write(_archive({name: _inflated(archive, name) for name in sums}, manifest))
            else:
                old.seek(0)
                shutil.copyfileobj(old, file, 2**20)
        if head > last:
            with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
                for name in HEAD:
                    archive.filelist.remove(archive.NameToInfo.pop(name))
                archive.start_dir = head
                _put_manifest(archive, manifest)
    _sync_folder(path)


def _archive(members: Mapping[str, bytes], manifest: dict[str, Any]) -> bytes:
    """Return a compressed archive, or an uncompressed one if it would be rejected for its compression ratio."""
    n_bytes = sum(map(len, members.values())) + 2**20
    for how in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", how) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
            _put_manifest(archive, manifest)
        if n_bytes <= _most(buffer.tell()):
            break
    return buffer.getvalue()


def _put_manifest(archive: zipfile.ZipFile, manifest: dict[str, Any]) -> None:
    raw = json.dumps(manifest, indent=1).encode("utf-8")
    archive.writestr("manifest.json", raw)
    archive.writestr("checksum", hashlib.sha256(raw).hexdigest())


def _manifest(archive: zipfile.ZipFile, path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the manifest of an archive of bounded size, and the checksums of its members."""
    names = archive.namelist()
    if not set(HEAD) <= set(names):
        raise SealedFileError(f"{str(path)!r} is not a sealed test set: it has no manifest.")
    _check_sizes(archive, path)
    raw = _inflated(archive, "manifest.json")
    if hashlib.sha256(raw).hexdigest() != _inflated(archive, "checksum").decode("ascii", "replace"):
        raise _changed(path, "manifest.json")
    manifest = read_json(raw, deepest=DEEPEST, is_finite=False)
    if manifest["format"] != FORMAT:
        raise SealedFileError(
            f"{str(path)!r} has the format {str(manifest['format'])[:60]!r}, but this version reads {FORMAT!r}."
        )
    sums = manifest["members"]
    if sorted(sums) != sorted(set(names) - set(HEAD)) or not all(_NAME.fullmatch(name) for name in sums):
        raise ValueError("its members do not match its manifest")
    return manifest, sums


def _check_sizes(archive: zipfile.ZipFile, path) -> None:
    """Check the sizes that an archive declares before anything is inflated; `_inflated` enforces them."""
    members = archive.infolist()
    if len({info.filename for info in members}) < len(members):
        raise ValueError("a member occurs twice")
    if not {info.compress_type for info in members} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError("a member is not compressed with deflate")
    n_bytes = sum(info.file_size for info in members)
    held = os.fstat(archive.fp.fileno()).st_size  # type: ignore[union-attr]
    if n_bytes > _most(held):
        raise SealedFileError(
            f"{str(path)!r} would expand from {held:,} to {n_bytes:,} bytes; at most {_most(held):,} are allowed. If "
            "you trust it, rewrite it with an archiver that does not compress."
        )


def _most(n_bytes: int) -> int:
    return GROWTH * n_bytes + ALLOWANCE


def _inflated(archive: zipfile.ZipFile, name: str) -> bytes:
    """Inflate a member up to the size that the archive declares."""
    size = archive.getinfo(name).file_size
    with archive.open(name) as file:
        data = file.read(size + 1)  # without a limit, all of it would be inflated before it is cut
    if len(data) != size:
        raise ValueError(f"{name} has {len(data)} bytes instead of {size}")
    return data


def _sync_folder(path) -> None:
    """Sync the folder, so that a replaced file survives a power failure."""
    with suppress(OSError):  # folders cannot be opened on every system, and not every file system needs it
        folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _changed(path, member: str) -> SealedFileError:
    return SealedFileError(
        f"{str(path)!r} was changed after it was saved: the checksum of {member} does not match. Its test set can no "
        "longer be trusted; use an unchanged copy, or split again."
    )


def _not_whole(path, problem: Exception) -> SealedFileError:
    return SealedFileError(
        f"{str(path)!r} is not a sealed test set, or is truncated ({type(problem).__name__}: {problem})."
    )
