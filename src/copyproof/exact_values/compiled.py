"""Whether exact values must wait for the compiler."""

from copyproof.engine.cache import is_cached
from copyproof.engine.exact_layers import expand
from copyproof.engine.exact_transitions import survey

__all__ = ["is_compiled"]


def is_compiled(*, fractions: bool) -> bool:
    """Whether the kernel for floats, or for fractions, has been compiled here before."""
    return is_cached((survey if fractions else expand).__name__)
