"""The command `probe`: each method once, and how the service differs from its documents."""
