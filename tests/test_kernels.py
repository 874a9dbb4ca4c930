"""`widgets/kernels.py`: which kernels of Voila are stopped."""

import asyncio
from datetime import UTC, datetime

from widgets.kernels import Kernels


def test_an_idle_kernel_is_stopped_when_it_is_met_again() -> None:
    async def run() -> list[bool]:
        kernels = Kernels(cull_idle_timeout=1)
        idle, used = [await kernels.start_kernel(kernel_name="python3") for _ in range(2)]
        kernels.notify_connect(used)
        there = []
        for _ in range(3):
            for kernel in kernels.list_kernel_ids():
                kernels.get_kernel(kernel).last_activity = datetime(2020, 1, 1, tzinfo=UTC)
                kernels.get_kernel(kernel).execution_state = "idle"
                await kernels.cull_kernel_if_idle(kernel)
            there.append(idle in kernels)
        there.append(used in kernels)
        await kernels.shutdown_all(now=True)
        return there

    assert asyncio.run(run()) == [True, False, False, True]
