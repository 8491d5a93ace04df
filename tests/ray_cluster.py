"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waiting import PATIENCE


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

    # Programs that no test needs are not started: each takes a second of a processor.
    shared: dict[str, Any] = {"num_cpus": cpus, "object_store_memory": 100 << 20, "memory": 16 << 30}
    shared |= {"include_log_monitor": False, "no_monitor": True}
    # A node that was killed is missed after a second or two, and not after half a minute.
    soon = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
    with _patient_start():
        cluster = Cluster()
        try:
            cluster.add_node(include_dashboard=False, _system_config=soon, **shared)
            cluster.worker = cluster.add_node(**shared)
            cluster.wait_for_nodes(timeout=PATIENCE)
        except Exception:
            cluster.shutdown()
            raise
    return cluster


@contextmanager
def _patient_start() -> Iterator[None]:
    """Give a node that starts as long as it needs: Ray gives it half a minute, which a busy machine exceeds."""
    from ray._private import services

    ask = services.get_node

    def get_node(*arguments: Any) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return ask(*arguments)
            except RuntimeError:  # it is not there yet
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    services.get_node = get_node
    try:
        yield
    finally:
        services.get_node = ask
