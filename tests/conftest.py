"""What holds for all tests."""

from hypothesis import settings

# Nothing is timed in tests: a machine under load is no fault.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
