"""Assess runs: the risk of an INN after each run, and what changed since the run before."""
