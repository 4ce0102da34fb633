"""Compiling before anybody waits for it.

The kernels are compiled when they are first called, which takes about 20 s where none are found on
the disk. A service that took a lease before that would keep its callers waiting, and other
processes from serving them.
"""

from copyproof.live import Principal


def warm_up() -> int:
    """Do once, in a market of its own in memory, what markets do; return the decisions made.

    Examples
    --------
    >>> warm_up()
    4
    """
    principal = Principal("prh-ucb")
    principal.register_arms([("a", "1"), ("a", "2"), ("b", "1")])
    decisions = [
        *principal.ask(),
        *principal.ask(2, slate=True),
        *principal.ask(eligible={"a": ["1"]}),
    ]
    principal.tell_many([(decision.id, 1.0) for decision in decisions])
    principal.set_policy("h-ucb")
    return principal.statistics().answered
