"""News: the words of a declaration that say what a change means in a sentence, and what is derived from them."""
