"""All scenarios, in the order in which they are shown."""

from copyproof.drills.changing import BAIT, DRIFT, STILL
from copyproof.drills.copies import ELIGIBLE, SEEN, SLATES, WEAKER
from copyproof.drills.identities import IDENTITIES
from copyproof.drills.late import CHURN, LATE, SLEEP
from copyproof.drills.scenario import Scenario
from copyproof.drills.segments import SEGMENTS

SCENARIOS: tuple[Scenario, ...] = (
    SLATES,
    ELIGIBLE,
    SEEN,
    WEAKER,
    SEGMENTS,
    IDENTITIES,
    LATE,
    SLEEP,
    CHURN,
    BAIT,
    STILL,
    DRIFT,
)
