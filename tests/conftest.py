"""Property tests draw the same examples in every run, and are never judged by the clock."""

from hypothesis import settings

settings.register_profile("copyproof", deadline=None, derandomize=True)
settings.load_profile("copyproof")
