"""An emulator of the counterparty-check service, used over HTTP only.

Every company is generated from its INN. The same seed, INN, day and method give the same payload.
"""
