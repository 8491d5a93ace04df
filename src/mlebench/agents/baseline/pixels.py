"""Pictures to pictures: each pixel of a submission is predicted from the pixels around it.

There are pairs of pictures to learn from, in two folders under the same names, and pictures of a third folder to turn
into what the second of the pair would be. The sample has a row per pixel, named <picture>_<row>_<column>; it may have
millions, so it is read and the submission written piece by piece.
"""

from __future__ import annotations

import io
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .files import DataFile
from .metrics import BY_NAME, Metric, score
from .modelling import Candidate, Solution
from .models import BOOSTING, RIDGE, load_libraries, make_model
from .resources import spread
from .tables import TaskError, read_pieces
from .task import Given

if TYPE_CHECKING:
    import pandas as pd

PIXELS = 300_000  # to learn from, of all pictures together
JUDGES = 5  # one picture in so many judges the candidates
COPY = "copy"
_ID = r"^(.*)_(\d+)_(\d+)$"

Grey = NDArray[np.float32]


@dataclass(frozen=True)
class _Pairs:
    """The pictures: (input, result) to learn from, and those to turn into results, by name."""

    training: tuple[tuple[DataFile, DataFile], ...]
    test: dict[str, DataFile]
    first: int  # what rows and columns of the sample count from
    scale: float  # the value of white


def find_pairs(given: Given) -> _Pairs | None:
    """The pictures, if the sample asks for the pixels of some of them and there are pairs to learn from."""
    few = given.sample.head(100_000)
    if few.shape[1] != 2 or few.iloc[:, 1].dtype.kind not in "iuf":
        return None
    parts = few.iloc[:, 0].astype(str).str.extract(_ID)
    pictures = given.files.media.get("picture", {})
    if bool(parts.isna().any(axis=None)) or not set(parts[0]) <= set(pictures):
        return None
    folders: dict[str, dict[str, DataFile]] = defaultdict(dict)
    for files in pictures.values():
        for file in files:
            folders[file.folder].setdefault(file.stem, file)
    wanted = set(given.sample.iloc[:, 0].astype(str).str.rsplit("_", n=2).str[0].unique())
    tests = [name for name, files in folders.items() if wanted <= set(files)]
    pairs = [
        (one, other)
        for one in folders
        for other in folders
        if one != other and len(folders[one]) > 1 and set(folders[one]) == set(folders[other])
    ]
    choices = [(test, one, other) for test in tests for one, other in pairs if test not in (one, other)]
    if not choices:
        return None
    # Of a pair, the input is the one that looks like the pictures to turn into results.
    test, one, other = min(choices, key=lambda names: _distance(folders[names[0]], folders[names[1]]))
    training = tuple((folders[one][stem], folders[other][stem]) for stem in sorted(folders[one]))
    scale = 1.0 if float(few.iloc[:, 1].max()) <= 1 else 255.0
    return _Pairs(training, folders[test], int(parts[1].astype(int).min()), scale)


def _distance(files: dict[str, DataFile], others: dict[str, DataFile]) -> float:
    """How different the tones of two folders are, from a few pictures of each."""
    shares = []
    for folder in (files, others):
        chosen = [folder[stem] for stem in sorted(folder)[:: max(1, len(folder) // 20)]]
        tones = np.sum([np.histogram(_grey(file), bins=32, range=(0, 1))[0] for file in chosen], axis=0)
        shares.append(tones / tones.sum())
    return float(np.abs(shares[0] - shares[1]).sum())


def _grey(file: DataFile) -> Grey:
    from PIL import Image

    with Image.open(io.BytesIO(file.read())) as picture:
        return np.asarray(np.asarray(picture.convert("L")) / 255, dtype=np.float32)


def solve_pixels(given: Given, pairs: _Pairs, submission: Path) -> Solution:
    """Learn from some pixels of the pairs, judge on pictures left out, and write the submission."""
    metric = given.metric if given.metric and given.metric.wants == "numbers" else BY_NAME["RMSE"]
    rng = np.random.default_rng(given.seed)
    order = rng.permutation(len(pairs.training))
    share = max(1, PIXELS // len(pairs.training))

    def pixels_of(number: int) -> tuple[Grey, Grey]:
        inputs, results = (_grey(file) for file in pairs.training[number])
        if inputs.shape != results.shape:
            raise ValueError("the pictures of a pair differ in size")
        chosen = np.random.default_rng([given.seed, number]).permutation(inputs.size)[:share]
        return surroundings(inputs)[chosen], results.ravel()[chosen]

    load_libraries()
    read = {
        done.item: done.result
        for done in spread(pixels_of, [int(number) for number in order], given.budget.cores, given.budget.at(0.3))
        if not done.problem
    }
    judges = [number for place, number in enumerate(order) if place % JUDGES == 0 and number in read]
    others = [number for place, number in enumerate(order) if place % JUDGES != 0 and number in read]
    if not judges or not others:
        raise TaskError("There are too few pairs of pictures to learn from.")
    candidates, models = _compared(read, others, judges, metric, given)
    sign = -1.0 if metric.lower_is_better else 1.0
    scored = [candidate for candidate in candidates if candidate.score is not None]
    chosen = max(scored, key=lambda candidate: sign * (candidate.score or 0.0))
    _write(given, pairs, models[chosen.model], submission)
    method = f"one picture in {JUDGES} held out"
    return Solution(tuple(candidates), chosen, method, sum(len(read[number][1]) for number in others))


def _compared(
    read: dict[int, tuple[Grey, Grey]], others: list[Any], judges: list[Any], metric: Metric, given: Given
) -> tuple[list[Candidate], dict[str, Any]]:
    features, target = (np.concatenate([read[number][part] for number in others]) for part in (0, 1))
    tested, truth = (np.concatenate([read[number][part] for number in judges]) for part in (0, 1))
    candidates, models = [], {}

    def fit(name: str) -> tuple[Any, float, float]:
        start = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = None
            if name != COPY:
                model = make_model(name, "regression", BY_NAME["RMSE"], given.seed, len(target)).fit(features, target)
            reached = score(metric, truth, _results(model, tested), 0)
        return model, reached, time.monotonic() - start

    names = [COPY, RIDGE, BOOSTING]
    found = {done.item: done for done in spread(fit, names, given.budget.cores, given.budget.at(0.6))}
    for name in names:
        if name in found and not found[name].problem:
            models[name], reached, seconds = found[name].result
            candidates.append(Candidate(name, reached, 0.0, seconds))
        else:
            note = f"failed: {found[name].problem}" if name in found else "not finished: the time limit is near"
            candidates.append(Candidate(name, None, None, 0.0, note))
    if not models:
        raise TaskError("No model could be trained in time.")
    return candidates, models


def surroundings(grey: Grey) -> Grey:
    """A row of features per pixel: its neighbours, and means, extremes and spread around it at several distances."""
    from scipy import ndimage

    layers = [grey]
    padded = np.pad(grey, 2, mode="reflect" if min(grey.shape) > 2 else "edge")
    height, width = grey.shape
    layers += [padded[down : down + height, right : right + width] for down in range(5) for right in range(5)]
    for size in (3, 9, 25):
        mean = ndimage.uniform_filter(grey, size)
        square = ndimage.uniform_filter(grey * grey, size)
        layers += [mean, np.sqrt(np.maximum(square - mean * mean, 0)), grey - mean]
        layers += [ndimage.maximum_filter(grey, size), ndimage.minimum_filter(grey, size)]
    layers.append(ndimage.median_filter(grey, 5))
    # The paper behind the ink: what is brightest around, smoothed.
    paper = ndimage.uniform_filter(ndimage.maximum_filter(grey, 15), 15)
    layers += [paper, grey - paper]
    return np.stack([layer.ravel() for layer in layers], axis=1).astype(np.float32)


def _results(model: Any, features: Grey) -> Grey:
    values = features[:, 0] if model is None else model.predict(features)
    return np.asarray(np.clip(values, 0, 1), dtype=np.float32)


def _write(given: Given, pairs: _Pairs, model: Any, path: Path) -> None:
    """The submission, in the order of the sample, a piece at a time; a picture is kept until another is asked for."""
    id_name, output = (str(name) for name in given.sample.columns)
    stems = list(pairs.test)

    def turned(stem: str) -> Grey:
        grey = _grey(pairs.test[stem])
        return _results(model, surroundings(grey)).reshape(grey.shape)

    results = {done.item: done.result for done in spread(turned, stems, given.budget.cores, given.budget.at(0.9))}
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8", newline="") as file:
        for number, piece in enumerate(read_pieces(given.folder / given.sample_name)):
            _filled(piece, id_name, output, results, pairs).to_csv(file, index=False, header=number == 0)
    partial.replace(path)


def _filled(piece: pd.DataFrame, id_name: str, output: str, results: dict[str, Any], pairs: _Pairs) -> pd.DataFrame:
    parts = piece[id_name].astype(str).str.extract(_ID)
    rows, columns = (parts[name].astype(np.int64).to_numpy() - pairs.first for name in (1, 2))
    values = piece[output].to_numpy(np.float64).copy()
    for stem, places in parts.groupby(0).indices.items():
        if results.get(str(stem)) is not None:
            values[places] = results[str(stem)][rows[places], columns[places]] * pairs.scale
    return piece.assign(**{output: np.round(values, 4)})
