"""The register of unfair suppliers, under laws 44 and 223 and decree 615."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Echo,
    Field,
    List,
    Mark,
    Row,
    company_method,
    count_of,
    is_full,
    is_true,
)
from innspect.schemas.kinds import DMY, FLAG, INN, TEXT, URL, day, in_words, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal


class Entry(Row, key=("reg_number|detail_url",)):
    """One entry of the register."""

    reg_number = Field(TEXT, "Number of the entry; begins with a Cyrillic Р, except under law 44.")
    law = Field(one_of("FZ44", "FZ223", "PP615"), "Legal ground.")
    supplier_name = Field(TEXT, "Supplier, truncated with an ellipsis after 300 characters.")
    supplier_inn = Field(INN, "INN on the card; not given under law 223, though the search is by INN.")
    inclusion_date = Field(day(DMY), "Day of inclusion.")
    exclusion_date = Field(day(DMY), "Day for which exclusion is planned; usually not given.")
    status = Field(
        in_words({"Размещено": ("размещена", "in force"), "Исключено": ("исключена", "excluded")}),
        "In force or excluded; in force if the card does not say.",
    )
    reason = Field(TEXT, "Reason of the inclusion, truncated after 300 characters.")
    fas_authority = Field(TEXT, "Body that included it, truncated after 300 characters.")
    decision_number = Field(TEXT, "Number of the decision; not always given.")
    decision_date = Field(day(DMY), "Day of the decision; not always given.")
    detail_url = Field(URL, "Link to the card of the entry.")


EXCLUDED_STEM = "исключ"
"""Word stem of the status of an excluded entry, in any case."""
IS_EXCLUDED = pl.col("status").fill_null("").str.contains(f"(?i){EXCLUDED_STEM}")


class Rnp(
    Block,
    name="rnp",
    order=10,
    title_en="Unfair suppliers",
    title_ru="Недобросов. поставщики",
    full_check="rnp",
    methods=(company_method("rnp", 5),),
):
    """Entries in the register of unfair suppliers: one row per company, with counts."""

    inn = Echo()
    total = count_of("records", "Confirmed entries, at most 30.")
    active = count_of("records", "Entries in force.", ~IS_EXCLUDED)
    historic = count_of("records", "Excluded entries.", IS_EXCLUDED)
    records = List(Entry, "Entries with details, at most 30.", max_rows=30)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")
    filter_bypassed = Mark(FLAG, "The search ignored the INN: an empty list is no evidence.")

    coverage = CoverageRules(
        unconfirmed={"filter_bypassed": is_true("filter_bypassed")},
        incomplete={"list_full": is_full("records", records, "total")},
    )

    news_templates = (
        News(
            "entries",
            ("records",),
            always=Words(
                "Запись[ № {reg_number}] в реестре недобросовестных поставщиков",
                "Entry[ No. {reg_number}] of the unfair-supplier register",
            ),
            heads=(
                addition(
                    "Включён в реестр недобросовестных поставщиков[, запись № {reg_number}]"
                    "[ от {inclusion_date}][, {fas_authority}][: {reason}]",
                    "Entered into the unfair-supplier register[, No. {reg_number}]"
                    "[ on {inclusion_date}][, {fas_authority}][: {reason}]",
                ),
                removal(
                    "Записи[ № {reg_number}][ от {inclusion_date}] больше нет в реестре недобросовестных поставщиков",
                    "The unfair-supplier register no longer has entry[ No. {reg_number}]"
                    "[, included on {inclusion_date}]",
                ),
                cell_change(
                    "Запись[ № {reg_number}] исключена из реестра недобросовестных поставщиков",
                    "Entry[ No. {reg_number}] was excluded from the unfair-supplier register",
                    "records",
                    status="Исключено",
                ),
            ),
            lines=(
                cell_change("[статус: {status.move}]", "[status: {status.move}]", "records", status="Размещено"),
                cell_change(
                    "[плановая дата исключения: {exclusion_date.move}]",
                    "[planned exclusion: {exclusion_date.move}]",
                    "records",
                ),
                cell_change("[основание: {reason}]", "[reason: {reason}]", "records"),
            ),
            figures=Words(
                "Число записей в реестре недобросовестных поставщиков[: {total.move}]",
                "Number of entries in the unfair-supplier register[: {total.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
