"""Words for people, in Russian and English."""
