"""Leasing contracts; only in the full check."""

from innspect.schemas.declaration import Block, Field, List, Mark, Row, count_of
from innspect.schemas.kinds import ANY_DAY, RUB, TEXT
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, removal


class LeasingContract(Row):
    """One leasing contract."""

    subject = Field(TEXT, "What is leased.")
    lessor = Field(TEXT, "Who leases it out.")
    date = Field(ANY_DAY, "Day of the contract; its format is not documented.")
    amount = Field(RUB, "Amount of the contract.")
    status = Field(TEXT, "Status in the source's words.")


class Leasing(
    Block,
    name="leasing",
    order=21,
    title_en="Leasing",
    title_ru="Лизинг",
    full_check="leasing",
):
    """Leasing contracts of the company: one row, with their number."""

    total_contracts = count_of("contracts", "Leasing contracts.")
    contracts = List(LeasingContract, "Leasing contracts.")
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    news_templates = (
        News(
            "contracts",
            ("contracts",),
            always=Words("Договор лизинга", "Leasing contract"),
            heads=(
                addition(
                    "Новый договор лизинга[ от {date}][: {subject}][, лизингодатель {lessor}][, {amount}][, {status}]",
                    "New leasing contract[ of {date}][: {subject}][, lessor {lessor}][, {amount}][, {status}]",
                ),
                removal(
                    "Договор лизинга[ от {date}] больше не значится[: {subject}][, лизингодатель {lessor}]",
                    "The source no longer shows the leasing contract[ of {date}][: {subject}][, lessor {lessor}]",
                ),
            ),
            figures=Words(
                "Число договоров лизинга[: {total_contracts.move}]",
                "Number of leasing contracts[: {total_contracts.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
