"""Encoded response bodies by INN and method."""

from collections import OrderedDict
from dataclasses import replace

from innspect.sandbox.envelope import UNAVAILABLE, Body, encode_payload
from innspect.sandbox.payloads.default import empty_payload
from innspect.sandbox.payloads.full_check import fetched_at, full_check_payload, standalone_payload
from innspect.sandbox.payloads.states import envelope_status
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import View
from innspect.sandbox.world.inn_samples import generate_inn
from innspect.sandbox.world.random_streams import Draw
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS

States = tuple[tuple[str, str], ...]
Key = tuple[str, str, frozenset[str], States]


class ResponseCache:
    """Bodies of one seed and day: an LRU cache bounded in bytes."""

    def __init__(self, seed: int, day: int, cache_bytes: int) -> None:
        self._seed, self._day, self._most = seed, day, cache_bytes
        self._held = 0
        self._cache: OrderedDict[Key, Body] = OrderedDict()

    def body(self, inn: str, method: str, down: frozenset[str] = frozenset(), states: States = ()) -> Body:
        """The body of one response, from the cache or new."""
        key = (inn, method, down, states)
        found = self._cache.get(key)
        if found is None:
            found = self._create(inn, method, down, states)
            self._keep(key, found)
        else:
            self._cache.move_to_end(key)
        return found

    def body_of_another_inn(self, inn: str, method: str) -> Body:
        """The body of the same method for another INN."""
        return self.body(generate_inn(Draw(self._seed, "other", inn), len(inn)), method)

    def unavailable_body(self, inn: str, method: str) -> Body:
        """The body of a method whose source does not respond, where only the payload says so."""
        view = View(Profile(self._seed, inn), self._day)
        payload = empty_payload(view, BLOCKS[METHODS[method].block]) | {"unavailable": True}
        return replace(encode_payload(payload, fetched_at(view, method), unavailable=True), has_status=False)

    def _create(self, inn: str, method: str, down: frozenset[str], states: States) -> Body:
        is_full_check = method == FULL_CHECK
        view = View(Profile(self._seed, inn), self._day, is_full_check=is_full_check, down=down, states=states)
        began = fetched_at(view, method)
        free = METHODS[method].free_if_unavailable
        if status := envelope_status(view, method):
            return replace(encode_payload({}, began, unavailable=free and status == UNAVAILABLE), status=status)
        if is_full_check:
            return encode_payload(full_check_payload(view, began), began)
        payload = standalone_payload(view, method)
        is_unavailable = free and isinstance(payload, dict) and bool(payload.get("unavailable"))
        return encode_payload(payload, began, unavailable=is_unavailable)

    def _keep(self, key: Key, body: Body) -> None:
        self._cache[key] = body
        self._held += len(body.payload)
        while self._held > self._most and len(self._cache) > 1:
            _, old = self._cache.popitem(last=False)
            self._held -= len(old.payload)
