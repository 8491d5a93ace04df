"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def why_not() -> str | None:
    """Why there can be no Ray here."""
    return None if importlib.util.find_spec("ray") else "Ray is not installed: pip install 'mlebench[ray]'"


@contextmanager
def ray_cluster(cpus: int = 2) -> Iterator[Any]:
    """A head and a second node while this block runs; `address` names it, `worker` is the second node."""
    from ray.cluster_utils import Cluster

    memory = 16 << 30
    shared = {"object_store_memory": 100 << 20, "memory": memory, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": cpus, **shared})
    try:
        del shared["include_dashboard"]
        cluster.worker = cluster.add_node(num_cpus=cpus, resources={"second": 1}, **shared)  # type: ignore[attr-defined]
        cluster.wait_for_nodes()
        yield cluster
    finally:
        import ray

        ray.shutdown()
        cluster.shutdown()
