"""The people and companies around one INN: facts of `mart.links`, laid out by Graphviz, written as static SVG."""
