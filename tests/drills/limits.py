"""What an attack gains, by limits that notice a gain of a few per cent.

The drill's own limits allow for events that no game has shown, and are some times wider.
"""

from collections.abc import Sequence

import numpy as np

from copyproof.drills import run
from copyproof.policy import parse_policy
from copyproof.simulation import t_quantile

GAMES = 40


def check_no_gain(policy: str, scenario: str, settings: Sequence[str], *, most: float) -> None:
    """Check that none of some settings of today pays.

    The lower limits of the mean gains, one-sided ones by Student's t that hold together with 95 %,
    are at most 0, and the gains themselves at most a share of what there is without the attack.
    """
    [played] = run.named([scenario])
    now = [
        (n, one.name)
        for n, one in enumerate(played.settings_for(parse_policy(policy)))
        if one.name in settings and not one.is_old
    ]
    assert len(now) == len(settings)
    games = [run._play_settings((policy, scenario, seed))[0] for seed in range(GAMES)]
    wide = t_quantile(0.05 / len(now), GAMES - 1) / np.sqrt(GAMES)
    for number, name in now:
        pairs = [
            [getattr(side, played.measure) for side in pairs_of_game[number]]
            for pairs_of_game in games
        ]
        without, attacking = np.array(pairs).T
        gains = attacking - without
        low = gains.mean() - wide * gains.std(ddof=1)
        found = f"{policy}, {scenario}, {name}: {gains.mean():.1f} of {without.mean():.1f}"
        print(f"{found}, from {low:.1f}")
        assert low <= 0, found
        assert gains.mean() <= most * without.mean(), found
