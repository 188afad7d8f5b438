"""Generated INNs with valid check digits."""

from stdnum.ru import inn as inn_number

from innspect.sandbox.world.random_streams import Draw

_REGIONS = ("77", "78", "50", "66", "16", "23", "54", "63", "02", "05", "40", "74")


def generate_inn(draw: Draw, digits: int) -> str:
    """A valid INN of 10 or 12 digits."""
    region = draw.pick(_REGIONS)
    if digits == 10:
        body = region + draw.digits(7)
        return body + inn_number.calc_company_check_digit(body)
    body = region + draw.digits(8)
    return body + inn_number.calc_personal_check_digits(body)


def sample_inns(count: int, seed: int = 0, *, persons: float = 0.0) -> list[str]:
    """Distinct valid INNs, the same for the same arguments; the share `persons`, at the end, has 12 digits."""
    draw = Draw("sample", seed)
    people = round(count * persons)
    found: dict[str, None] = {}
    while len(found) < count:
        found[generate_inn(draw, 10 if len(found) < count - people else 12)] = None
    return list(found)


def is_valid(inn: str, digits: int) -> bool:
    """Whether it is a valid INN of that length (-1: 10 or 12)."""
    if not (inn.isascii() and inn.isdigit()):
        return False
    return (len(inn) == digits or digits == -1) and bool(inn_number.is_valid(inn))
