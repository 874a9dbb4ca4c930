"""The kernels of Voila: one that no page is connected to is stopped, but not at once."""

from typing import Any

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager


class Kernels(AsyncMappingKernelManager):
    """Stops an idle kernel when it is met for the second time.

    Voila keeps kernels ready that have already run their notebook, and they count as idle for as
    long as they have waited. A page that takes one has not connected yet, so that without this
    the kernel could be stopped under it in its first second.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._met: set[str] = set()

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """Asked from time to time about each kernel that Voila has given to a page."""
        if kernel_id in self._met:
            await super().cull_kernel_if_idle(kernel_id)
        self._met.add(kernel_id)
        self._met &= set(self.list_kernel_ids())
