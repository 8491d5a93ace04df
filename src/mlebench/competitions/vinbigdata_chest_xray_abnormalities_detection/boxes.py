"""Boxes as edition v2 takes them: findings of several radiologists merged, and matched by their corners."""

from collections.abc import Sequence

import numpy as np

from mlebench.kit import Table, rectangle_overlaps

CORNERS = ["x_min", "y_min", "x_max", "y_max"]


def merged(boxes: Table, least_overlap: float) -> Table:
    """One row per finding of an image: boxes of different radiologists that overlap are averaged, others are kept."""
    import pandas as pd

    rows = []
    for (image, kind), own in boxes.groupby(["image_id", "class_id"], sort=True):
        findings: list[Table] = []
        for _, box in own.iterrows():
            row = box.to_frame().T
            near = next((place for place, found in enumerate(findings) if _agree(found, row, least_overlap)), None)
            if near is None:
                findings.append(row)
            else:
                findings[near] = pd.concat([findings[near], row])
        for found in findings:
            corners = found[CORNERS].astype(float).mean()
            rows.append(
                {"image_id": image, "class_name": found["class_name"].iloc[0], "class_id": kind}
                | {"rad_id": " ".join(found["rad_id"])}
                | corners.to_dict()
            )
    return pd.DataFrame(rows, columns=["image_id", "class_id", "class_name", "rad_id", *CORNERS])


def _agree(found: Table, box: Table, least_overlap: float) -> bool:
    """Whether a box of another radiologist is about the same finding; without corners, all boxes of a class are."""
    if box[CORNERS].isna().to_numpy().any():
        return True
    if box["rad_id"].iloc[0] in set(found["rad_id"]):
        return False
    mean = found[CORNERS].astype(float).mean().to_numpy()[None]
    return bool(rectangle_overlaps(mean, box[CORNERS].to_numpy(float))[0] >= least_overlap)


def matched(detections: Table, truth: Table, box: Sequence[str], least_overlap: float) -> Table:
    """Detections as right or wrong: by descending confidence, each takes the true box that it overlaps most."""
    true_corners = [f"true_{corner}" for corner in CORNERS]
    groups = {key: rows[true_corners].to_numpy(float) for key, rows in truth.groupby(["image_id", "class_id"])}
    right = np.zeros(len(detections), dtype=bool)
    taken: dict[tuple[object, object], set[int]] = {}
    corners = detections[list(box)].to_numpy(float)
    keys = zip(detections["image_id"], detections["class_id"], strict=True)
    for place, key in enumerate(keys):
        true_boxes = groups.get(key)
        if true_boxes is None:
            continue
        overlaps = rectangle_overlaps(np.repeat(corners[place : place + 1], len(true_boxes), axis=0), true_boxes)
        overlaps[list(taken.setdefault(key, set()))] = -1
        best = int(np.argmax(overlaps))
        if overlaps[best] >= least_overlap:
            taken[key].add(best)
            right[place] = True
    return detections.assign(right=right, wrong=~right)
