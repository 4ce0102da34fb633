"""One small study, played once for all tests of figures and pages."""

import pytest

from copyproof.paper import FIGURES, Settings, StudyResults, all_runs, by_figure, play

SMALL = Settings(horizon=300, repetitions=4)


@pytest.fixture(scope="session")
def settings() -> Settings:
    return SMALL


@pytest.fixture(scope="session")
def study() -> StudyResults:
    found = {run: play(run) for run in all_runs(FIGURES, SMALL)}
    return by_figure(FIGURES, SMALL, found)
