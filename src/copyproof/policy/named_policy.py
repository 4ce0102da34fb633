"""What a row of the catalogue is."""

from dataclasses import dataclass, field

from copyproof.policy.claims import PATHWISE_BEGINS, PolicyClaim
from copyproof.policy.records import Policy
from copyproof.policy.theorem import why_not_covered

SEASON = "restart.rounds"  # the path of a known period after which a market starts afresh


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """One named policy.

    Attributes
    ----------
    name, policy
        What the text form calls it, and the template record.
    about, citation : str
        What it does, in a line, and where it comes from.
    parameters : dict
        Parameter of the text form → path of the field that it sets.
    claims : tuple of PolicyClaim
        What is claimed of it.
    """

    name: str
    policy: Policy
    about: str
    citation: str
    parameters: dict[str, str] = field(default_factory=dict)
    claims: tuple[PolicyClaim, ...] = ()

    def __post_init__(self) -> None:
        pathwise = any(claim.text.startswith(PATHWISE_BEGINS) for claim in self.claims)
        if pathwise and (reason := why_not_covered(self.policy)):
            raise ValueError(
                f"{self.name} is claimed to be pathwise replication-proof, but {reason}"
            )
