"""What a policy would have decided on a journal of the past: its shadow, after the fact."""

from copyproof.client.records import CandidateStatistics
from copyproof.live.events import CandidateDropped, CandidateSet, PolicyChanged, decode
from copyproof.live.records import MarketConfig
from copyproof.live.snapshots import from_bytes
from copyproof.live.stores import Store, StoreError
from copyproof.live.switch import SwitchState
from copyproof.live.terms import plan_of
from copyproof.policy import Policy, parse_policy
from copyproof.validation import FieldError


def shadow_of(store: Store, market: str, policy: Policy | str) -> CandidateStatistics:
    """Compare a policy, as a shadow, with the decisions that a journal holds.

    It begins where the journal does, or with its oldest snapshot, and anew where the market has
    changed its policy. Nothing is written.

    Raises
    ------
    FieldError
        If the policy cannot be run, or the journal has a candidate itself.

    Examples
    --------
    >>> from copyproof.live import Principal
    >>> principal = Principal("h-ucb")
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> decisions = principal.ask(100)
    >>> shadow_of(principal.store, "default", "h-ucb").agreed
    100
    """
    config = MarketConfig.from_dict(store.markets()[market])
    wanted = parse_policy(policy) if isinstance(policy, str) else policy
    plan_of(wanted, config)
    state, last = _oldest(store, market, config)
    state.looks_back = True
    state.enter(CandidateSet(str(wanted), 0.0, state.at))
    for number, event in store.events(market, last):
        made = decode(event)
        if isinstance(made, CandidateSet | CandidateDropped):
            said = f"= {market!r} has had a candidate of its own (event {number})"
            raise FieldError("market", market, "without a candidate", said)
        state.enter(made)
        if isinstance(made, PolicyChanged) or state.candidate is None:
            state.enter(CandidateSet(str(wanted), 0.0, state.at))
    state.settle()
    found = state.compared()
    assert found is not None
    return found


def _oldest(store: Store, market: str, config: MarketConfig) -> tuple[SwitchState, int]:
    """The earliest state that the store has, and after which event it is."""
    dropped = store.compacted(market)
    if dropped == 0:
        return SwitchState(config), 0
    before, oldest = None, None
    while (saved := store.snapshot(market, before)) is not None and saved[0] >= dropped:
        before, state = saved[0], from_bytes(saved[1])
        oldest = (state, before) if state is not None else oldest
    if oldest is None:
        raise StoreError(f"market {market!r}: no snapshot can be read: restore a backup")
    return oldest
