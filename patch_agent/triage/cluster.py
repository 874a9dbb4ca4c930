"""Work done on a Dask cluster that is running already, its results in the order of the items.

Its workers need this package at the same version. What it leaves out: starting a cluster.
The package `distributed` is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WAIT = 10
"""Seconds that a scheduler, and then its first worker, may take to answer."""


def on_cluster(
    address: str, work: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[Result]:
    """The result of each item. Raises ValueError where the cluster does not answer or cannot."""
    try:
        from distributed import Client
        from distributed.client import FutureCancelledError
        from distributed.comm.addressing import get_address_host_port
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise ValueError(
            f"scheduler: {address} needs the package distributed, which is not installed"
        ) from None
    try:
        get_address_host_port(address)  # a client that is refused for it would never be closed
        client = Client(address, timeout=WAIT, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ValueError(f"scheduler: none answers at {address} ({_first(error)})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT)
            for future in client.map(work, items, pure=False):
                yield future.result()
        except TimeoutError:
            raise ValueError(f"scheduler: {address} has no workers") from None
        except (ImportError, FutureCancelledError, KilledWorker) as error:
            raise ValueError(f"scheduler: {address} failed: {_first(error)}") from None


def _first(error: Exception) -> str:
    """The first line of what went wrong, or its kind."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
