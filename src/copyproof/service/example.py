"""A small market to try the service with: ``copyproof serve --example``."""

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import Store
from copyproof.service.keys import Keyring

EXAMPLE = "example"  # the market's name
NOTE = "copyproof serve --example"  # the note of its key

_ARMS = {
    "ann": ("lakes", "rivers"),
    "bob": ("bread",),
    "eve": tuple(f"prizes-{number}" for number in range(1, 21)),
}


def make_example(store: Store, keyring: Keyring) -> str:
    """Make the market if it is not there, and a fresh key in place of the last one.

    Three providers: ann with two arms, bob with one, and eve with twenty that look alike.

    Returns
    -------
    str
        The text of an operator's key.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> store = open_store("memory:")
    >>> keyring = Keyring(store, lambda: 0.0)
    >>> text = make_example(store, keyring)
    >>> [(key.role, key.note) for key in keyring.all()]
    [('operator', 'copyproof serve --example')]
    """
    if EXAMPLE not in store.markets():
        principal = Principal(store=store, market=EXAMPLE, config=MarketConfig(seed=1))
        with principal.group():
            for agent, arms in _ARMS.items():
                principal.register_agent(agent)
                principal.register_arms([(agent, arm) for arm in arms])
    for key in keyring.all():
        if key.note == NOTE and key.revoked is None:
            keyring.revoke(key.id)
    return keyring.add("operator", note=NOTE)[1]
