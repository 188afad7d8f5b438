"""Bodies to validated frames: split, decode, flatten, judge, normalise, validate, merge, hash. No I/O, no clock."""
