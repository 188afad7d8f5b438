"""A stand-in for the counterparty-check service, reached over HTTP only.

Every company in it is made up from its INN. The same seed, INN, day and method give the same payload.
"""
