"""Recordings without their gestures: the Matlab file of each recording loses its labels, all else stays."""

import gzip
import io
import tarfile
import zipfile
from typing import Any

from mlebench.kit import Files, Output

DATE = (2013, 5, 20, 0, 0, 0)  # of every member, so that archives are the same whenever they are built


def write(recordings: Files, public: Output, name: str) -> None:
    """Write a compressed tar archive of these recordings, each a zip archive with a file <recording>_data.mat."""
    with (
        public.path(name).open("wb") as file,
        gzip.GzipFile("", "wb", 1, file, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for recording in recordings.names():
            content = recordings.read_bytes(recording)
            if recording.endswith(".zip"):
                content = _unlabelled(content)
            entry = tarfile.TarInfo(recording)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def _unlabelled(recording: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(recording)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as new:
        for member in old.namelist():
            content = old.read(member)
            new.writestr(zipfile.ZipInfo(member, DATE), _emptied(content) if member.endswith(".mat") else content)
    return written.getvalue()


def _emptied(matlab: bytes) -> bytes:
    """The structure `Video` with an empty list of labels."""
    import numpy as np
    from scipy.io import loadmat, savemat

    video: Any = loadmat(io.BytesIO(matlab))["Video"]
    video["Labels"][0, 0] = np.zeros((1, 0), dtype=video["Labels"][0, 0].dtype)
    written = io.BytesIO()
    savemat(written, {"Video": video}, do_compression=True)
    # SciPy writes the time and the platform into the first 116 bytes; those of the old file take their place.
    return matlab[:116] + written.getvalue()[116:]
