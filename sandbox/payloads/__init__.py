"""What each block says of a made-up company: one function a block, from a view to the object that goes on the wire."""
