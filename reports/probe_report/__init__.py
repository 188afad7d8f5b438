"""The page of `innspect probe`: how the service differs from its documents."""
