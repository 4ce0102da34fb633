"""Whether live decisions have to wait for the compiler."""

from copyproof.engine.cache import is_cached
from copyproof.engine.live import serve

__all__ = ["is_compiled"]


def is_compiled() -> bool:
    """Whether the kernel that decides has been compiled here before."""
    return is_cached(serve.__name__)
