"""Which GPUs this machine has, and which of them this process plays on.

``simulate`` takes CuPy's present device. Workers of a cluster share a machine: each takes a GPU
that no other worker has taken, by a lock on a file named after the GPU's place on the bus, which
the system lets go when the process ends. So one worker for each GPU is all that is needed, however
the workers were started; one that was given a GPU of its own (``CUDA_VISIBLE_DEVICES``, as
dask-cuda does) finds that one first. Where all are taken, workers share.
"""

import fcntl
import importlib.util
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from copyproof.devices.launch import load_cupy
from copyproof.engine.cache import cache_folder
from copyproof.validation import FieldError

# Compute capability of the oldest chips that the compiler makes kernels for.
LEAST_CAPABILITY = (7, 5)
# Locks of this process: they are held as long as the files are open.
_HELD: list[int] = []
# The GPU that this process has taken, once it has, and who may take one.
_TAKEN: list[int] = []
_TAKING = threading.Lock()


def require_device() -> None:
    """Refuse ``device="cuda"`` in one line where it cannot be."""
    said = why_not()
    if said:
        raise FieldError("device", "cuda", "a device of this machine", f"= 'cuda', but {said}")


def is_there() -> bool:
    """Whether this machine has a GPU that games can be played on."""
    return why_not() is None


def why_not() -> str | None:
    """Why no games can be played on a GPU here; None if they can."""
    try:
        cupy = load_cupy()
    except ImportError:
        return "CuPy is not installed: pip install 'copyproof[gpu]'"
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"CUDA finds no GPU here ({error})"
    return _why_not_for(capability()) if found else "CUDA finds no GPU here"


def _why_not_for(chip: tuple[int, int]) -> str | None:
    """Why there are no kernels for a chip of this compute capability; None if there are."""
    from copyproof.devices.cuda_compile import CAPABILITY

    least, usual = LEAST_CAPABILITY, CAPABILITY
    said = f"this GPU has compute capability {chip[0]}.{chip[1]}"
    if chip < least:
        return f"{said}, and kernels are made for {least[0]}.{least[1]} and newer"
    if chip < usual and importlib.util.find_spec("numba_cuda") is None:
        older = f"older than {usual[0]}.{usual[1]}, have to be compiled here"
        return f"{said}: kernels for chips {older}, by pip install 'copyproof[gpu]'"
    return None


def capability() -> tuple[int, int]:
    """The compute capability of CuPy's present device."""
    found = load_cupy().cuda.Device().attributes
    return int(found["ComputeCapabilityMajor"]), int(found["ComputeCapabilityMinor"])


def target() -> tuple[int, int]:
    """What kernels are compiled for: what they usually are, or the present device, if it is older.

    Newer chips run what was compiled for older ones, and not the other way round.
    """
    from copyproof.devices.cuda_compile import CAPABILITY

    return min(capability(), CAPABILITY)


def count() -> int:
    """How many GPUs this process can see."""
    return int(load_cupy().cuda.runtime.getDeviceCount()) if is_there() else 0


@contextmanager
def own_gpu() -> Iterator[None]:
    """Play on the GPU that this process, a worker of a cluster, has for itself, in the context."""
    cupy = load_cupy()
    with cupy.cuda.Device(_claimed()):
        yield


def _claimed() -> int:
    """The number of this process's own GPU, taken once, whichever of its threads asks first."""
    with _TAKING:
        if not _TAKEN:
            cupy = load_cupy()
            places = [cupy.cuda.Device(number).pci_bus_id for number in range(count())]
            _TAKEN.append(claim(places))
    return _TAKEN[0]


def claim(places: Sequence[str]) -> int:
    """Take the first GPU that nobody has taken: its number among those at these places of the bus.

    Where all are taken, the process shares one, by its own number.

    Examples
    --------
    >>> claim(["example"]), claim(["example"])
    (0, 0)
    """
    for number, place in enumerate(places):
        name = "".join(letter if letter.isalnum() else "-" for letter in place)
        lock = os.open(cache_folder() / f".gpu-{name}", os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        _HELD.append(lock)
        return number
    return os.getpid() % len(places)
