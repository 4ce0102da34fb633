"""All scenarios, in the order in which they are shown."""

from copyproof.drills.changing import BAIT, DRIFT, STILL
from copyproof.drills.copies import CONTENT, ELIGIBLE, SEEN, SLATES, WEAKER
from copyproof.drills.identities import IDENTITIES
from copyproof.drills.late import CHURN, LATE, SLEEP
from copyproof.drills.scenario import Scenario
from copyproof.drills.segments import SEGMENTS
from copyproof.drills.telling import FADING, SIGN_UP, SILENCE, SLOW

SCENARIOS: tuple[Scenario, ...] = (
    SLATES,
    ELIGIBLE,
    SEEN,
    CONTENT,
    WEAKER,
    SEGMENTS,
    IDENTITIES,
    LATE,
    SILENCE,
    FADING,
    SLOW,
    SIGN_UP,
    SLEEP,
    CHURN,
    BAIT,
    STILL,
    DRIFT,
)
