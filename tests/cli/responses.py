"""Hand-written responses of the blocks company and freezes."""

from tests.support.builders import INN, Response

OTHER = "7710140679"


def card(status: str, inn: str = INN, **fields) -> Response:
    body = {"inn": inn, "ogrn": "1027700132195", "name": f'ООО "{inn[-2:]}"', "status": status, **fields}
    return Response("brief", body, inn)


def freezes(count: int, inn: str = INN) -> Response:
    items = [{"decision_num": str(number), "bik": "044525225"} for number in range(count)]
    return Response("freezes", {"available": True, "found": count > 0, "count": count, "items": items}, inn)


def unconfirmed_freezes(inn: str = INN) -> Response:
    return Response("freezes", {"available": False, "items": []}, inn)
