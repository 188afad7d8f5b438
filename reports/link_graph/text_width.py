"""How wide a text may become, and how it breaks into lines: without fonts, so that drawings are the same everywhere."""

EM_WIDTHS = {
    0.36: " ,./:;·'|IJijlft",
    0.5: '()[]-!r*_"–',
    0.65: "?cszгзсэFLkvxyвтухчь0123456789EPSTYabdeghnopqu«»ГЕЁЗРТУабеёийклоря",
    0.85: "ABCKRVXZАБВСХЧЬЭЯднпцNUИЙКъDGHOQДЛНОПЦмы+<>wЪю",
}
"""Widths of characters of DejaVu Sans, rounded up: of the usual sans-serif fonts it is the widest."""
WIDEST_EM = 1.1
EM_OF = {character: width for width, characters in EM_WIDTHS.items() for character in characters}
ELLIPSIS = "…"


def text_width(text: str, font_px: float) -> float:
    """An upper bound of the width of a text in pixels."""
    return sum(EM_OF.get(character, WIDEST_EM) for character in text) * font_px


def break_lines(text: str, font_px: float, width: float, max_lines: int) -> list[str]:
    """The text in lines of that width in pixels, between words where that is possible; what is cut ends with `…`."""
    lines: list[str] = []
    rest = text.split()
    while rest and len(lines) < max_lines:
        line, rest = _take_line(rest, font_px, width)
        lines.append(line)
    if rest and lines:
        lines[-1] = shorten(f"{lines[-1]} {rest[0]}", font_px, width)
    return lines


def shorten(text: str, font_px: float, width: float) -> str:
    """As much of the text as has room, with `…` at its end."""
    while text and text_width(text + ELLIPSIS, font_px) > width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def _take_line(words: list[str], font_px: float, width: float) -> tuple[str, list[str]]:
    """The first line, and the words after it; a word that is wider than a line is cut in two."""
    count = 1
    while count < len(words) and text_width(" ".join(words[: count + 1]), font_px) <= width:
        count += 1
    if count > 1 or text_width(words[0], font_px) <= width:
        return " ".join(words[:count]), words[count:]
    part = words[0]
    while len(part) > 1 and text_width(part, font_px) > width:
        part = part[:-1]
    return part, [words[0][len(part) :], *words[1:]]
