"""Leaves independent of the order of lists: an element is identified by its content, not by its index.

The path of a leaf contains list indexes. Payloads that differ only in the order of their lists have the same content,
so a version is hashed over ranks instead of indexes, and leaves of the version before get the indexes that their
elements have in the new one.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Final

import polars as pl

from innspect.schemas.frames import SNAP
from innspect.schemas.tables import Origin, Table
from innspect.transforms.flatten.leaves import Leaf

STEP: Final = re.compile(r"\[\d+\]|\['(?:[^'\\]|\\.)*'\]|\.[^.\[]+")
INDEX: Final = r"\[\d+\]"
LATER_INDEX: Final = r"\[[1-9]\d*\]"
"""An index after the first; lists of one element have no order."""
MIN_SHARED_PART: Final = 0.5
"""Part of its leaves, exclusive, that a changed element shares with its former content."""
MAX_COMPARED_PAIRS: Final = 10_000
"""Pairs of changed elements that are compared; in longer lists changed elements count as removed and added."""

Steps = tuple[str, ...]
Elements = Mapping[str, str]
"""The last steps of a list's elements, with a digest of the content of each."""
Renaming = Callable[[Steps, Steps, Elements], Mapping[str, str]]


def rank_leaves(frame: pl.DataFrame) -> pl.DataFrame:
    """The leaves with ranks instead of indexes, which are the same for any order of the lists."""

    def by_content(_: Steps, __: Steps, elements: Elements) -> dict[str, str]:
        order = sorted(elements, key=lambda step: (elements[step], _index(step)))
        return {step: f"[{rank}]" for rank, step in enumerate(order)}

    several = frame.filter(pl.col("path").str.contains(LATER_INDEX))[SNAP].unique()
    leaves = _by_snap(frame.filter(pl.col(SNAP).is_in(several.implode())))
    return _rename_paths(frame, {snap: _Tree(of).new_paths(by_content) for snap, of in leaves.items()})


def align_leaves(
    tables: Sequence[Table], known: Mapping[str, pl.DataFrame], new: Mapping[str, pl.DataFrame], *, match_changed: bool
) -> dict[str, pl.DataFrame]:
    """The known frames of one block, with leaves under the paths that their elements have in the new frames.

    `match_changed`: an element that shares most of its leaves with a new one is the same element, changed. Elements
    without a counterpart get indexes after the last new one, so that none is overwritten.
    """
    aligned = dict(known)
    for table in tables:
        if table.origin is Origin.LEAVES:
            aligned[table.name] = align_paths(known[table.name], new[table.name], match_changed=match_changed)
    return aligned


def align_paths(known: pl.DataFrame, new: pl.DataFrame, *, match_changed: bool) -> pl.DataFrame:
    """The leaves of one table, see `align_leaves`."""
    before = _by_snap(known.filter(pl.col("path").str.contains(INDEX)))
    after = _by_snap(new.filter(pl.col(SNAP).is_in(list(before))))
    trees = {snap: (_Tree(leaves), _Tree(after.get(snap, []))) for snap, leaves in before.items()}
    return _rename_paths(
        known, {snap: old.new_paths(_Matching(old, fresh, match_changed)) for snap, (old, fresh) in trees.items()}
    )


class _Tree:
    """The leaves of one block of one response, by the steps of their paths."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self._leaves = [(tuple(STEP.findall(path)), f"{kind}:{value}") for path, value, kind in leaves]
        self._below: dict[Steps, dict[str, None]] = {}
        for steps, _ in self._leaves:
            for depth, step in enumerate(steps):
                self._below.setdefault(steps[:depth], {})[step] = None

    @cached_property
    def _digests(self) -> dict[Steps, str]:
        """Digest of the content at each step, independent of the order of lists."""
        texts: dict[Steps, list[str]] = {}
        for steps, value in self._leaves:
            texts.setdefault(steps, []).append(value)
        found: dict[Steps, str] = {}
        for steps in sorted({*texts, *self._below}, key=len, reverse=True):
            names = self._below.get(steps, {})
            inner = sorted(("[]" if _is_index(name) else name) + found[(*steps, name)] for name in names)
            text = "\x1f".join((*texts.get(steps, ()), "\x1e", *inner))
            found[steps] = blake2b(text.encode(), digest_size=16).hexdigest()
        return found

    @cached_property
    def _contents(self) -> dict[Steps, set[str]]:
        found: dict[Steps, set[str]] = {}
        for steps, value in self._leaves:
            for depth, step in enumerate(steps, 1):
                if _is_index(step):
                    within = "".join("[]" if _is_index(one) else one for one in steps[depth:])
                    found.setdefault(steps[:depth], set()).add(f"{within}={value}")
        return found

    def contents(self, steps: Steps) -> dict[str, set[str]]:
        """The leaves of each element of the list at `steps`, without indexes."""
        return {name: self._contents[*steps, name] for name in self._below.get(steps, {}) if _is_index(name)}

    def elements(self, steps: Steps) -> Elements:
        """The elements of the list at `steps`, if there is one."""
        names = self._below.get(steps, {})
        return {name: self._digests[(*steps, name)] for name in names if _is_index(name)}

    def new_paths(self, rename: Renaming) -> dict[str, str]:
        """New paths by the old ones; `rename` gives the new indexes of each list."""
        moved: dict[Steps, Steps] = {(): ()}
        for steps in sorted(self._below, key=len):
            indexes = rename(steps, moved[steps], self.elements(steps))
            for name in self._below[steps]:
                moved[(*steps, name)] = (*moved[steps], indexes.get(name, name))
        return {"$" + "".join(steps): "$" + "".join(moved[steps]) for steps, _ in self._leaves}


class _Matching:
    """Gives the elements of old lists the indexes of their counterparts in the new lists."""

    def __init__(self, old: _Tree, new: _Tree, match_changed: bool) -> None:
        self._old, self._new, self._match_changed = old, new, match_changed

    def __call__(self, steps: Steps, new_steps: Steps, elements: Elements) -> dict[str, str]:
        others = self._new.elements(new_steps)
        matched = _match_equal(elements, others)
        if self._match_changed:
            matched |= self._match_similar(steps, new_steps, matched)
        last = max(map(_index, others), default=-1)
        removed = sorted((step for step in elements if step not in matched), key=_index)
        return matched | {step: f"[{last + number}]" for number, step in enumerate(removed, 1)}

    def _match_similar(self, steps: Steps, new_steps: Steps, matched: Mapping[str, str]) -> dict[str, str]:
        """Pairs that share more than half of their leaves, one of which no other element of either list has."""
        before, after = self._old.contents(steps), self._new.contents(new_steps)
        old = [step for step in before if step not in matched]
        new = [step for step in after if step not in matched.values()]
        if len(old) * len(new) > MAX_COMPARED_PAIRS:
            return {}
        unique = _unique_leaves(before) & _unique_leaves(after)
        scores: list[tuple[int, float, str, str]] = []
        for step in old:
            for other in new:
                shared = before[step] & after[other]
                part = len(shared) / max(len(before[step]), len(after[other]))
                if part > MIN_SHARED_PART and shared & unique:
                    scores.append((len(shared & unique), part, step, other))
        pairs: dict[str, str] = {}
        for _, _, step, other in sorted(scores, key=lambda one: (-one[0], -one[1], _index(one[2]), _index(one[3]))):
            if step not in pairs and other not in pairs.values():
                pairs[step] = other
        return pairs


def _match_equal(elements: Elements, others: Elements) -> dict[str, str]:
    """Pairs of equal elements: at the same index if possible, else in the order of their indexes."""
    pairs = {step: step for step in elements if others.get(step) == elements[step]}
    free: dict[str, list[str]] = {}
    for step in sorted(others.keys() - pairs.keys(), key=_index, reverse=True):
        free.setdefault(others[step], []).append(step)
    for step in sorted(elements.keys() - pairs.keys(), key=_index):
        if free.get(elements[step]):
            pairs[step] = free[elements[step]].pop()
    return pairs


def _unique_leaves(contents: Mapping[str, set[str]]) -> set[str]:
    """Leaves that only one element has."""
    return {leaf for leaf, times in Counter(chain.from_iterable(contents.values())).items() if times == 1}


def _is_index(step: str) -> bool:
    return step[1:2].isdigit() and step.startswith("[")


def _index(step: str) -> int:
    return int(step[1:-1])


def _by_snap(frame: pl.DataFrame) -> dict[int, list[Leaf]]:
    found: dict[int, list[Leaf]] = {}
    for snap, path, value, kind in frame.select(SNAP, "path", "value", "type").iter_rows():
        found.setdefault(snap, []).append((path, value, kind))
    return found


def _rename_paths(frame: pl.DataFrame, names: Mapping[int, Mapping[str, str]]) -> pl.DataFrame:
    if not names:
        return frame
    paths = [names.get(snap, {}).get(path, path) for snap, path in frame.select(SNAP, "path").iter_rows()]
    return frame.with_columns(pl.Series("path", paths, dtype=pl.String))
