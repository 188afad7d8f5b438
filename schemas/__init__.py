"""What innspect knows: blocks and their fields, kinds of value, methods and prices, settings, errors.

Imports nothing of the other packages; everything else is derived from what stands here.
"""
