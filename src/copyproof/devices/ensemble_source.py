"""The weighted ensembles of rare events as one CUDA kernel: a run per thread.

``engine.own_process`` is compiled as it is, specialised to the policy. A run copies whole states,
as words of one piece of memory of which the arrays of the state are views. Here there is such a
piece in the device's memory for each run in flight, one after the other, and the kernel is given
the same memory several times over, as words and as the arrays, by their strides.
"""

from collections import namedtuple
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from numba import cuda, types

from copyproof.devices.cuda_compile import CAPABILITY, device_function, kept, kernel_path
from copyproof.devices.cuda_source import aligned, from_dtype
from copyproof.devices.specialise import UNKNOWN, Rows, Sized, Specialiser
from copyproof.engine import state as states
from copyproof.engine.changing_means import KNOT
from copyproof.engine.distributions import BERNOULLI
from copyproof.engine.mixtures import COMPONENT
from copyproof.engine.own_process import Ensemble, Question, play_ensembles
from copyproof.engine.plan import Plan
from copyproof.engine.quantiles import ORIGINAL, Rewards
from copyproof.engine.rules import LoweredRule
from copyproof.engine.state import State
from copyproof.engine.tournament import NODE

_f8, _i8, _i4, _i1, _u8 = types.float64, types.int64, types.int32, types.int8, types.uint64


def _record(dtype: Any) -> Any:
    return from_dtype(aligned(dtype))


# The kernel's arguments, in order: the type of an item or of the scalar, and dimensions.
ASKED: dict[str, tuple[Any, int]] = {
    "horizons": (_i8, 1),
    "seed": (_u8, 0),
    "originals": (_record(ORIGINAL), 1),
    "table_value": (_f8, 1),
    "table_upper": (_f8, 1),
    "components": (_record(COMPONENT), 1),
    "changing": (_i8, 1),
    "knots": (_record(KNOT), 1),
    "unchanging": (_f8, 1),
    "best_unchanging": (_f8, 0),
    "agent": (_i8, 0),
    "rival": (_f8, 0),
    "best": (_f8, 0),
    "safe": (_f8, 0),
    "good": (_i1, 1),
    "stops": (_i8, 1),
    "bins": (_i8, 0),
    "walkers": (_i8, 0),
    "no_good": (_f8, 0),
    "first_run": (_i8, 0),
    "results": (_f8, 2),
}
# Memory of the runs in flight, which is the first axis.
HELD: dict[str, tuple[Any, int]] = {
    "items": (_record(states.ITEM), 2),
    "pools": (_record(states.POOL), 2),
    "nodes": (_record(NODE), 2),
    "place": (_i4, 2),
    "start": (_i1, 2),
    "trials": (_f8, 3),
    "starts": (_record(states.START), 3),
    "blocks": (_record(states.BLOCK), 3),
    "epoch": (_record(states.EPOCH), 2),
    "order": (_i8, 2),
    "keys": (_u8, 3),
    "values": (_f8, 2),
    "members": (_i8, 2),
    "ring": (_record(states.RING), 2),
    "words": (_u8, 2),
    "sums": (_f8, 2),
    "states": (_u8, 4),
    "drawn": (_i8, 2),
    "weights": (_f8, 2),
    "survivors": (_f8, 2),
    "luck": (_f8, 3),
    "bins_of": (_i8, 2),
}
Asked: Any = namedtuple("Asked", list(ASKED))  # type: ignore[misc]
Held: Any = namedtuple("Held", list(HELD))  # type: ignore[misc]


class EnsembleShape(NamedTuple):
    """Constants of one kernel."""

    is_flat: int
    agent: LoweredRule
    arm: LoweredRule
    sampling: int
    factor: float
    power: float
    priority: int
    order_given: int
    agent_search: int
    arm_search: int
    is_bernoulli: int  # all arms pay 0 or 1


def shape_of(plan: Plan, rewards: Rewards) -> EnsembleShape:
    """The shape of a policy's kernel, for arms that pay so."""
    bernoulli = int((rewards.originals["family"] == BERNOULLI).all())
    return EnsembleShape(*plan[:10], bernoulli)


def ensemble_kernel(shape: EnsembleShape) -> Callable[..., None]:
    """The kernel, as a function in Python that numba-cuda can compile."""
    known: dict[str, Any] = {"plan": Plan(*shape[:10], Sized((1,)), UNKNOWN)}  # type: ignore[arg-type]
    if shape.is_bernoulli:
        row = SimpleNamespace(family=BERNOULLI, gap=0.0)
        known["rewards"] = SimpleNamespace(originals=Rows(row))
    engines: Any = play_ensembles
    play = Specialiser(device_function).specialise(engines, known)
    FLAT, AGENT, ARM, SAMPLING, FACTOR, POWER, PRIORITY, GIVEN, TOP, WITHIN = shape[:10]

    def ensembles(asked, held):  # type: ignore[no-untyped-def]
        slot = cuda.grid(1)
        control = cuda.local.array(2, _i8)
        control[0] = 0
        control[1] = 0
        if slot < held.items.shape[0]:
            plan = Plan(
                FLAT, AGENT, ARM, SAMPLING, FACTOR, POWER, PRIORITY, GIVEN, TOP, WITHIN,
                asked.horizons, asked.seed,
            )  # fmt: skip
            state = State(
                held.items[slot], held.pools[slot], held.nodes[slot], held.place[slot],
                held.start[slot], held.trials[slot], held.starts[slot],
                held.blocks[slot], held.epoch[slot], held.order[slot], held.keys[slot],
                held.values[slot], held.members[slot], held.ring[slot],
            )  # fmt: skip
            rewards = Rewards(
                asked.originals, asked.table_value, asked.table_upper, asked.components,
                asked.changing, asked.knots, asked.unchanging, asked.best_unchanging,
            )  # fmt: skip
            question = Question(
                asked.agent, asked.rival, asked.best, asked.safe, asked.good, asked.stops,
                asked.bins, asked.walkers, asked.no_good,
            )  # fmt: skip
            ensemble = Ensemble(
                held.words[slot], held.sums[slot], held.states[slot], held.drawn[slot],
                held.weights[slot], held.survivors[slot], held.luck[slot], held.bins_of[slot],
            )  # fmt: skip
            for row in range(slot, asked.results.shape[0], held.items.shape[0]):
                play(
                    plan, state, rewards, question, ensemble, asked.first_run + row,
                    asked.results[row : row + 1], control, 0,
                )  # fmt: skip

    return ensembles


def ensemble_ptx(shape: EnsembleShape, capability: tuple[int, int] = CAPABILITY) -> bytes:
    """The PTX of a shape's kernel, from the cache or compiled now."""
    array: Any = types.Array
    signature = tuple(
        types.NamedTuple(  # type: ignore[no-untyped-call]
            [of if not dims else array(of, dims, layout) for of, dims in fields.values()],
            kind,
        )
        for kind, fields, layout in ((Asked, ASKED, "C"), (Held, HELD, "A"))
    )
    path = kernel_path("ensembles", capability, tuple(shape))
    return kept(path, lambda: ensemble_kernel(shape), signature, capability)
