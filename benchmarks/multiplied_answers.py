"""Archives of very many INNs: answers of the sandbox, multiplied by putting other INNs into copies of their bodies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

import polars as pl
from stdnum.ru import inn as inn_number

from innspect.extract.archive.archive import ANSWERS, Archive
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import METHODS as CATALOGUE
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import CallState, MemberEntry
from tests.support.builders import sandbox_responses

METHODS = ("brief", "msp", "tax-debts")
"""The methods of small answers: those of the profile `light`."""
DEBTS = "tax-debts"
BASE_INNS = 20_000
"""INNs whose bodies the sandbox generates, unless a test needs fewer; those of all others are copies."""
RESPONSES_PER_FILE = 5_000
_NAMED_INN = re.compile(rb'"inn":"(\d{10}|\d{12})"')
_SHIFT = 1_999_993
"""What is added to the digits of the INN of a director or founder for each copy, so that copies have no links."""


@dataclass(frozen=True, slots=True)
class Template:
    """A body as texts, and the INNs between them: None is the INN itself, others are directors and founders."""

    texts: tuple[bytes, ...]
    inns: tuple[str | None, ...]

    def fill(self, inn: str, copy: int) -> bytes:
        """The body for this INN, in copy number `copy`."""
        parts = [self.texts[0]]
        for named, text in zip(self.inns, self.texts[1:], strict=True):
            parts += [(inn if named is None else shift_inn(named, copy)).encode(), text]
        return b"".join(parts)


def make_template(body: bytes, inn: str) -> Template:
    """Split a body at its INN and at those of the directors and founders that it names."""
    inns = sorted({inn.encode(), *_NAMED_INN.findall(body)})
    parts = re.split(b"(" + b"|".join(inns) + b")", body)
    named = (part.decode() for part in parts[1::2])
    return Template(tuple(parts[0::2]), tuple(None if one == inn else one for one in named))


def shift_inn(inn: str, copy: int) -> str:
    """The valid INN in place of that of a director or founder in a copy; the same one in copy 0."""
    if copy == 0:
        return inn
    is_company = len(inn) == 10
    number = inn[2 : -1 if is_company else -2]
    body = f"{inn[:2]}{(int(number) + copy * _SHIFT) % 10 ** len(number):0{len(number)}d}"
    return body + (inn_number.calc_company_check_digit if is_company else inn_number.calc_personal_check_digits)(body)


class MultipliedAnswers:
    """The answers of very many INNs, `inns`; with `is_one_each` each has the answer of one method, in turn.

    `base`: number of INNs whose bodies the sandbox generates.
    """

    def __init__(self, count: int, *, is_one_each: bool, base: int = BASE_INNS) -> None:
        self.inns = sample_inns(count, 0)
        self._is_one_each = is_one_each
        self._base = min(count, base)
        self._templates = {
            method: [
                make_template(response.body, response.inn)
                for response in sandbox_responses(self.inns[: self._base], DEFAULT_DAY, method=method)
            ]
            for method in METHODS
        }
        is_debtor = [len(template.inns) > 1 for template in self._templates[DEBTS]]
        self._by_debt = {
            flag: [number for number, one in enumerate(is_debtor) if one is flag] for flag in (True, False)
        }
        self._is_debtor = is_debtor

    def methods(self, number: int) -> Sequence[str]:
        """The methods of an INN, by its number."""
        return (METHODS[number % len(METHODS)],) if self._is_one_each else METHODS

    def changed(self, share: float) -> list[int]:
        """Numbers of a share of all INNs, of those that have an answer about debts."""
        asked = [number for number in range(len(self.inns)) if DEBTS in self.methods(number)]
        return asked[:: max(1, int(len(asked) / (len(self.inns) * share)))]

    def body(self, number: int, method: str, *, has_other_debts: bool = False) -> bytes:
        """The body of an INN, by its number; `has_other_debts`: without debts if it had some, else with debts."""
        copy, base = divmod(number, self._base)
        if has_other_debts and method == DEBTS:
            others = self._by_debt[not self._is_debtor[base]]
            base = others[number % len(others)]
        return self._templates[method][base].fill(self.inns[number], copy)


@dataclass(frozen=True, slots=True)
class SealedRun:
    """A run that the archive gets: its id, portfolio and start."""

    run_id: str
    portfolio: str
    started_at: datetime

    def seal(
        self, archive: Archive, answers: MultipliedAnswers, numbers: Sequence[int], *, has_other_debts: bool
    ) -> int:
        """Seal the answers of these INNs, and the records of run, calls and members; bytes of JSON."""
        rows: list[tuple[object, ...]] = []
        calls: list[pl.DataFrame] = []
        size = 0

        def seal_rows() -> None:
            frame = pl.DataFrame(rows, schema=["response_id", "inn", "method", "body"], orient="row")
            calls.append(self._seal_answers(archive, frame))
            rows.clear()

        for number in numbers:
            for method in answers.methods(number):
                body = answers.body(number, method, has_other_debts=has_other_debts)
                size += len(body)
                rows.append((f"{self.run_id}-{number}-{method}", answers.inns[number], method, body))
                if len(rows) == RESPONSES_PER_FILE:
                    seal_rows()
        if rows:
            seal_rows()
        archive.seal("calls", self.run_id, pl.concat(calls))
        self._seal_run(archive, [answers.inns[number] for number in numbers], len(calls))
        return size

    def _seal_answers(self, archive: Archive, answers: pl.DataFrame) -> pl.DataFrame:
        """Seal a file of answers; the records of their calls."""
        digests = [sha256(body).hexdigest() for body in answers["body"]]
        prices = {name: CATALOGUE[name].price / 100 for name in METHODS}
        price = pl.col("method").replace_strict(prices)
        frame = answers.with_columns(
            ("call-" + pl.col("response_id")).alias("call_id"),
            pl.lit(self.run_id).alias("run_id"),
            pl.lit(self.started_at).alias("asked_at"),
            pl.lit(self.started_at + timedelta(seconds=1)).alias("received_at"),
            pl.lit(200, dtype=pl.Int64).alias("http_status"),
            price.alias("charged_rub"),
            pl.lit(None).alias("balance_rub"),
            pl.col("body").bin.size().cast(pl.Int64).alias("bytes"),
            pl.Series("sha256", digests),
            pl.lit(False).alias("masked"),
        )
        archive.seal(ANSWERS, self.run_id, _cast(frame, ANSWERS))
        return _cast(
            frame.with_columns(
                price.alias("expected_rub"),
                pl.lit(str(CallState.SETTLED)).alias("state"),
                pl.col("asked_at").alias("reserved_at"),
                pl.col("received_at").alias("resolved_at"),
                pl.lit(None).alias("reason"),
            ),
            "calls",
        )

    def _seal_run(self, archive: Archive, inns: list[str], files: int) -> None:
        members = pl.DataFrame({"inn": inns}).with_columns(
            pl.lit(self.run_id).alias("run_id"),
            pl.lit(self.portfolio).alias("portfolio"),
            *(pl.lit(None).alias(name) for name in ("name", "priority", "tags", "extra")),
            pl.lit(self.started_at).alias("seen_at"),
            pl.lit(MemberEntry.FILE).alias("entry"),
        )
        archive.seal("members", self.run_id, _cast(members, "members"))
        run = {name: [None] for name in ARCHIVE["runs"]} | {
            "run_id": [self.run_id],
            "started_at": [self.started_at],
            "finished_at": [self.started_at + timedelta(seconds=files)],
            "portfolio": [self.portfolio],
            "profile": ["light"],
            "exit_code": [0],
        }
        archive.seal("runs", self.run_id, _cast(pl.DataFrame(run), "runs"))


def _cast(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    """The columns of a kind of archive file."""
    return frame.select(pl.col(name).cast(data_type) for name, data_type in ARCHIVE[kind].items())
