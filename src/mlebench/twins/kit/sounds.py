"""Tiny sounds for synthetic archives."""

from __future__ import annotations

import io
import wave

import numpy as np
from numpy.typing import NDArray


def wav(samples: NDArray[np.generic], rate: int) -> bytes:
    """A mono sound as 16-bit WAV bytes; samples are in -32768 to 32767, and their fractions are cut off."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()
