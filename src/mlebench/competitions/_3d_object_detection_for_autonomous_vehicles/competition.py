"""Lyft 3D object detection: where, around a self-driving car, are which objects?"""

from mlebench.kit import Competition

competition = Competition(
    "3d-object-detection-for-autonomous-vehicles",
    "Lyft 3D Object Detection for Autonomous Vehicles",
    category="Object Detection",
    metric="mean average precision over 3D IoU thresholds",
    group="high",
)
