"""Digests of what is played, so that results that are kept are taken again only where they hold."""

import hashlib
import json

from copyproof.engine.lower import lower_policy
from copyproof.engine.version import NUMERICS
from copyproof.external import AnyPolicy, any_policy, code_of
from copyproof.game import Market
from copyproof.policy import Policy, with_market_defaults


def rules_digest(market: Market, policy: AnyPolicy | str, horizon: int) -> str:
    """Digest of all that a policy's choices depend on, and of the version of the numerics.

    A policy's text does not say everything. The rules of ours have constants, which may change: the
    digest is of all numbers that are played with. Another's has code: the digest is of the text and
    of the version of the package, or the bytes of the file or module, that the text names; not of
    what these import. Results that are kept are only taken again where this is what it was.

    Raises
    ------
    FieldError
        For an ``ExternalPolicy`` without a text: what it does cannot be told from outside.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> same = rules_digest(paper_market("2c"), "rh-ucb(L=3)", 1000)
    >>> rules_digest(paper_market("2c"), "rh-ucb", 1000) == same
    True
    """
    asked = any_policy(policy)
    played: object
    if isinstance(asked, Policy):
        played = lower_policy(with_market_defaults(asked, market.quotient), horizon=horizon, seed=0)
    else:
        played = [asked.text, code_of(asked)]
    text = json.dumps([NUMERICS, played], default=lambda numbers: numbers.tolist())
    return hashlib.sha256(text.encode()).hexdigest()[:12]
