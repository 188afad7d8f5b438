"""Suspended bank accounts, as the tax authority publishes them."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Inline,
    List,
    Mark,
    Row,
    company_method,
    count_of,
    is_full,
    is_true,
    row_count,
)
from innspect.schemas.kinds import BIK, DMY, FLAG, INTEGER, KBK, NUMBER, TEXT, day
from innspect.schemas.news.news_template import News, Words, addition, cell_change, removal


class Inquiry(Row):
    """Cost of the source call for the service; not about the company."""

    price = Mark(NUMBER, "Price of the source call.")
    balance = Mark(NUMBER, "Balance at the source after the call.")
    credit = Mark(INTEGER, "Credit left at the source.")
    speed = Mark(INTEGER, "Speed reported by the source.")
    attempts = Mark(INTEGER, "Attempts of the source call.")


class Decision(Row, key=("decision_num", "decision_date", "bik")):
    """One decision to suspend operations on the accounts in one bank."""

    decision_date = Field(day(DMY), "Day of the decision.")
    decision_num = Field(TEXT, "Number of the decision.")
    authority = Field(TEXT, "Tax authority that decided.")
    bank = Field(TEXT, "Bank whose accounts are suspended.")
    bik = Field(BIK, "Code of that bank.")
    code = Field(TEXT, "Kind of decision, a code of the source.")
    kbk = Field(KBK, "Budget classification code; not always given.", optional=True)


class Freezes(
    Block,
    name="freezes",
    order=13,
    title_en="Frozen accounts",
    title_ru="Блокировки счетов",
    full_check="freezes",
    methods=(company_method("freezes", 6),),
):
    """Account suspensions in force: one row per company, with their number."""

    available = Mark(FLAG, "Whether the source responded; otherwise nothing is confirmed.")
    found = Field(FLAG, "Whether there are suspensions in force.")
    count = count_of("items", "Decisions in this response, at most 30; not the register's total.")
    items = List(Decision, "Decisions in force, at most 30.", max_rows=30)
    _inquiry = Inline(Inquiry, "Service data of the source call.", "_inquiry_", marks=True)

    coverage = CoverageRules(
        unconfirmed={
            "not_available": ~is_true("available"),
            "found_not_stated": is_true("available") & pl.col("found").is_null() & (row_count("items") == 0),
        },
        incomplete={"list_full": is_full("items", items, "count")},
        announced=is_true("found"),
    )

    news_templates = (
        News(
            "decisions",
            ("found", "items"),
            always=Words(
                "Изменились сведения о приостановлении операций по счетам", "Data on suspended accounts changed"
            ),
            heads=(
                addition("Приостановлены операции по счетам", "Accounts were suspended"),
                cell_change("Приостановлены операции по счетам", "Accounts were suspended", found="true"),
                removal("Отменено приостановление операций по счетам", "A suspension of accounts was lifted"),
                cell_change(
                    "Приостановлений операций по счетам больше нет", "No account is suspended any more", found="false"
                ),
            ),
            lines=(
                addition(
                    "решение[ № {decision_num}][ от {decision_date}][, {bank}]",
                    "decision[ No. {decision_num}][ of {decision_date}][, {bank}]",
                    "items",
                    first="decision_date",
                ),
                removal(
                    "решение[ № {decision_num}][ от {decision_date}][, {bank}] больше не действует",
                    "decision[ No. {decision_num}][ of {decision_date}][, {bank}] is no longer in force",
                    "items",
                ),
                cell_change(
                    "решение[ № {decision_num}]: уточнены сведения",
                    "decision[ No. {decision_num}]: details changed",
                    "items",
                ),
            ),
            figures=Words(
                "Число решений о приостановлении операций[: {count.move}]",
                "Number of decisions to suspend accounts[: {count.move}]",
            ),
        ),
    )
