"""Leaves whatever order lists come in: an element is known by what it says, not by its place.

The path of a leaf names its place in the answer. Two answers whose lists are only ordered otherwise say the same, so
a version is hashed over ranks instead of places, and leaves of the version before are named after the elements that
they have become.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Final

import polars as pl

from innspect.schemas.tables import Origin, Table
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.flatten.leaves import Leaf

STEP: Final = re.compile(r"\[\d+\]|\['(?:[^'\\]|\\.)*'\]|\.[^.\[]+")
PLACE: Final = r"\[\d+\]"
LATER_PLACE: Final = r"\[[1-9]\d*\]"
"""A place after the first: without one there is nothing to be ordered."""
HALF: Final = 0.5
MOST_PAIRS: Final = 10_000
"""Pairs of changed elements that are compared; in longer lists they went and came."""

Steps = tuple[str, ...]
Elements = Mapping[str, str]
"""The steps to the elements of a list, and a digest of what each says."""
Chooser = Callable[[Steps, Steps, Elements], Mapping[str, str]]


def ranked(frame: pl.DataFrame) -> pl.DataFrame:
    """The leaves with ranks for places: the same for any order of the lists."""

    def by_content(_: Steps, __: Steps, elements: Elements) -> dict[str, str]:
        order = sorted(elements, key=lambda step: (elements[step], _place(step)))
        return {step: f"[{rank}]" for rank, step in enumerate(order)}

    several = frame.filter(pl.col("path").str.contains(LATER_PLACE))[SNAP].unique()
    leaves = _by_snap(frame.filter(pl.col(SNAP).is_in(several.implode())))
    return _renamed(frame, {snap: _Tree(of).renamed(by_content) for snap, of in leaves.items()})


def with_leaves_aligned(
    tables: Sequence[Table], known: Mapping[str, pl.DataFrame], new: Mapping[str, pl.DataFrame], *, changed: bool
) -> dict[str, pl.DataFrame]:
    """The known frames of one block, leaves under the paths that their elements have in the new ones."""
    found = dict(known)
    for table in tables:
        if table.origin is Origin.LEAVES:
            found[table.name] = aligned(known[table.name], new[table.name], changed=changed)
    return found


def aligned(known: pl.DataFrame, new: pl.DataFrame, *, changed: bool) -> pl.DataFrame:
    """Known leaves under the paths of the elements that say the same in the new ones.

    `changed`: an element that says most of the same is taken for the same one, changed. Elements that are no more get
    places after the last of the new ones, so that none is written over.
    """
    before = _by_snap(known.filter(pl.col("path").str.contains(PLACE)))
    after = _by_snap(new.filter(pl.col(SNAP).is_in(list(before))))
    trees = {snap: (_Tree(leaves), _Tree(after.get(snap, []))) for snap, leaves in before.items()}
    names = {snap: old.renamed(_Matching(old, fresh, changed=changed)) for snap, (old, fresh) in trees.items()}
    return _renamed(known, names)


class _Tree:
    """The leaves of one block of one answer, by the steps of their paths."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self._leaves = [(tuple(STEP.findall(path)), f"{kind}:{value}") for path, value, kind in leaves]
        self._below: dict[Steps, dict[str, None]] = {}
        for steps, _ in self._leaves:
            for depth, step in enumerate(steps):
                self._below.setdefault(steps[:depth], {})[step] = None

    @cached_property
    def _digests(self) -> dict[Steps, str]:
        """What stands at each step, in any order of its lists."""
        texts: dict[Steps, list[str]] = {}
        for steps, value in self._leaves:
            texts.setdefault(steps, []).append(value)
        found: dict[Steps, str] = {}
        for steps in sorted({*texts, *self._below}, key=len, reverse=True):
            names = self._below.get(steps, {})
            inner = sorted(("[]" if _is_place(name) else name) + found[(*steps, name)] for name in names)
            text = "\x1f".join((*texts.get(steps, ()), "\x1e", *inner))
            found[steps] = blake2b(text.encode(), digest_size=16).hexdigest()
        return found

    @cached_property
    def _said(self) -> dict[Steps, set[str]]:
        found: dict[Steps, set[str]] = {}
        for steps, value in self._leaves:
            for depth, step in enumerate(steps, 1):
                if _is_place(step):
                    within = "".join("[]" if _is_place(one) else one for one in steps[depth:])
                    found.setdefault(steps[:depth], set()).add(f"{within}={value}")
        return found

    def said(self, steps: Steps) -> dict[str, set[str]]:
        """What each element of the list that stands there says, places left out."""
        return {name: self._said[*steps, name] for name in self._below.get(steps, {}) if _is_place(name)}

    def elements(self, steps: Steps) -> Elements:
        """The elements of the list that stands there; none where none does."""
        names = self._below.get(steps, {})
        return {name: self._digests[(*steps, name)] for name in names if _is_place(name)}

    def renamed(self, choose: Chooser) -> dict[str, str]:
        """New paths by the old ones; `choose` names the places of each list."""
        labels: dict[Steps, Steps] = {(): ()}
        for steps in sorted(self._below, key=len):
            chosen = choose(steps, labels[steps], self.elements(steps))
            for name in self._below[steps]:
                labels[(*steps, name)] = (*labels[steps], chosen.get(name, name))
        return {"$" + "".join(steps): "$" + "".join(labels[steps]) for steps, _ in self._leaves}


class _Matching:
    """Names the places of an old list's elements after those of the new list that stands there."""

    def __init__(self, old: _Tree, fresh: _Tree, *, changed: bool) -> None:
        self._old, self._fresh, self._changed = old, fresh, changed

    def __call__(self, here: Steps, there: Steps, elements: Elements) -> dict[str, str]:
        others = self._fresh.elements(there)
        taken = _alike(elements, others)
        if self._changed:
            taken |= self._likest(here, there, taken)
        last = max(map(_place, others), default=-1)
        gone = sorted((step for step in elements if step not in taken), key=_place)
        return taken | {step: f"[{last + number}]" for number, step in enumerate(gone, 1)}

    def _likest(self, here: Steps, there: Steps, taken: Mapping[str, str]) -> dict[str, str]:
        """Elements that share more than half of what they say, and something that no other of their list says."""
        before, after = self._old.said(here), self._fresh.said(there)
        rest = [step for step in before if step not in taken]
        left = [step for step in after if step not in taken.values()]
        if len(rest) * len(left) > MOST_PAIRS:
            return {}
        own = _once(before) & _once(after)
        scores: list[tuple[int, float, str, str]] = []
        for step in rest:
            for other in left:
                shared = before[step] & after[other]
                part = len(shared) / max(len(before[step]), len(after[other]))
                if part > HALF and shared & own:
                    scores.append((len(shared & own), part, step, other))
        paired: dict[str, str] = {}
        for _, _, step, other in sorted(scores, key=lambda one: (-one[0], -one[1], _place(one[2]), _place(one[3]))):
            if step not in paired and other not in paired.values():
                paired[step] = other
        return paired


def _alike(elements: Elements, others: Elements) -> dict[str, str]:
    """Elements that say the same: at the same place if they can, else in the order of their places."""
    taken = {step: step for step in elements if others.get(step) == elements[step]}
    free: dict[str, list[str]] = {}
    for step in sorted(others.keys() - taken.keys(), key=_place, reverse=True):
        free.setdefault(others[step], []).append(step)
    for step in sorted(elements.keys() - taken.keys(), key=_place):
        if free.get(elements[step]):
            taken[step] = free[elements[step]].pop()
    return taken


def _once(said: Mapping[str, set[str]]) -> set[str]:
    """What only one element says."""
    return {text for text, times in Counter(chain.from_iterable(said.values())).items() if times == 1}


def _is_place(step: str) -> bool:
    return step[1:2].isdigit() and step.startswith("[")


def _place(step: str) -> int:
    return int(step[1:-1])


def _by_snap(frame: pl.DataFrame) -> dict[int, list[Leaf]]:
    found: dict[int, list[Leaf]] = {}
    for snap, path, value, kind in frame.select(SNAP, "path", "value", "type").iter_rows():
        found.setdefault(snap, []).append((path, value, kind))
    return found


def _renamed(frame: pl.DataFrame, names: Mapping[int, Mapping[str, str]]) -> pl.DataFrame:
    if not names:
        return frame
    paths = [names.get(snap, {}).get(path, path) for snap, path in frame.select(SNAP, "path").iter_rows()]
    return frame.with_columns(pl.Series("path", paths, dtype=pl.String))
