"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MOST_STARTS = 8  # Ray gives a node that starts half a minute, which is not enough on a busy machine


def why_not() -> str | None:
    """Why there can be no Ray here."""
    return None if importlib.util.find_spec("ray") else "Ray is not installed: pip install 'mlebench[ray]'"


@contextmanager
def ray_cluster(cpus: int = 2) -> Iterator[Any]:
    """A head and a second node while this block runs; `address` names it, `worker` is the second node."""
    import ray

    cluster = _started(cpus)
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def _started(cpus: int) -> Any:
    from ray.cluster_utils import Cluster

    shared = {"num_cpus": cpus, "object_store_memory": 100 << 20, "memory": 16 << 30}
    for start in range(_MOST_STARTS):
        cluster = Cluster()
        try:
            cluster.add_node(include_dashboard=False, **shared)
            cluster.worker = cluster.add_node(**shared)
            cluster.wait_for_nodes(timeout=180)
        except Exception:
            cluster.shutdown()
            if start == _MOST_STARTS - 1:
                raise
        else:
            return cluster
    raise AssertionError
