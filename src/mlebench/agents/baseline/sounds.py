"""Sounds as features: how loud each pitch is, on average and at most, and a small picture of pitch over time."""

from __future__ import annotations

import io
import struct
import wave

import numpy as np
from numpy.typing import NDArray

BANDS = 48
MOMENTS = 12
WINDOW = 512  # samples per spectrum
MOST_SAMPLES = 10_000_000  # of a recording; what follows is not heard

Vector = NDArray[np.float32]


def sound_features(content: bytes) -> Vector:
    """A row of numbers, the same count for every recording, whatever its length and rate."""
    from scipy.signal import stft

    samples = read_sound(content)
    if len(samples) < 2:
        raise ValueError("the recording is empty")
    # Short recordings get shorter windows, and all the same number of pitches.
    window = min(WINDOW, len(samples))
    spectrum = np.abs(stft(samples, nperseg=window, nfft=WINDOW)[2])
    bands = np.log1p(_pooled(spectrum, BANDS, 0))
    moments = _pooled(_pooled(bands, MOMENTS, 1), BANDS // 2, 0)
    loudness = np.abs(samples)
    whole = [np.log1p(loudness.mean()), np.log1p(loudness.max()), np.log1p(samples.std()), len(samples)]
    parts = [bands.mean(1), bands.std(1), bands.max(1), np.median(bands, 1), moments.ravel(), np.array(whole)]
    return np.concatenate(parts).astype(np.float32)


def _pooled(values: NDArray[np.float64], count: int, axis: int) -> NDArray[np.float64]:
    """Means over neighbours, so that there are `count` of them; where there are fewer, some are repeated."""
    edges = np.linspace(0, values.shape[axis], count + 1)
    starts = np.minimum(edges[:-1].astype(int), values.shape[axis] - 1)
    ends = np.maximum(np.ceil(edges[1:]).astype(int), starts + 1)
    sums = np.cumsum(np.insert(values, 0, 0.0, axis=axis), axis=axis)
    counts = (ends - starts).reshape((-1, 1) if axis == 0 else (1, -1))
    return np.asarray((sums.take(ends, axis=axis) - sums.take(starts, axis=axis)) / counts)


def read_sound(content: bytes) -> NDArray[np.float64]:
    """The samples of a WAV or AIFF file, all channels mixed into one."""
    if content[:4] == b"FORM":
        return _read_aiff(content)
    with wave.open(io.BytesIO(content)) as recording:
        data = recording.readframes(min(recording.getnframes(), MOST_SAMPLES))
        return _samples(data, recording.getsampwidth(), recording.getnchannels(), "<")


def _read_aiff(content: bytes) -> NDArray[np.float64]:
    """Python has no reader of AIFF any more; the format is a sequence of chunks, of which two matter."""
    place, channels, width, data = 12, 1, 2, b""
    while place + 8 <= len(content):
        name, size = struct.unpack(">4sI", content[place : place + 8])
        chunk = content[place + 8 : place + 8 + size]
        if name == b"COMM":
            channels, _, bits = struct.unpack(">hIh", chunk[:8])
            width = (bits + 7) // 8
            if content[8:12] == b"AIFC" and chunk[18:22] not in (b"NONE", b"twos"):
                raise ValueError("the recording is compressed")
        elif name == b"SSND":
            offset = struct.unpack(">I", chunk[:4])[0]
            data = chunk[8 + offset :][: MOST_SAMPLES * width * channels]
        place += 8 + size + size % 2
    return _samples(data, width, channels, ">")


def _samples(data: bytes, width: int, channels: int, order: str) -> NDArray[np.float64]:
    data = data[: len(data) // (width * channels) * width * channels]
    if width == 1:
        values = np.frombuffer(data, np.uint8 if order == "<" else np.int8).astype(np.float64)
        values = values - 128 if order == "<" else values
    elif width in (2, 4):
        values = np.frombuffer(data, f"{order}i{width}").astype(np.float64)
    elif width == 3:
        raw = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int32)
        low, middle, high = (raw[:, place] for place in ((0, 1, 2) if order == "<" else (2, 1, 0)))
        values = (low + (middle << 8) + (high.astype(np.int8).astype(np.int32) << 16)).astype(np.float64)
    else:
        raise ValueError(f"the recording has {width} bytes per sample")
    return np.asarray(values.reshape(-1, channels).mean(axis=1))
