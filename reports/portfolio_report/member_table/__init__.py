"""The table of all members in the report: one row each, sorted and searched in the page."""
