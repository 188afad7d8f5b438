"""The report: queries on the marts, their charts and words, and the page that holds them."""
