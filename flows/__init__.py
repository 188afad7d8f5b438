"""The flows that wire the four, and the command line that starts them."""
