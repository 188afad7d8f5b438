"""Bankruptcy: stage, intentions and the debtor's cards."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Ignored,
    Inline,
    List,
    Mark,
    Row,
    company_method,
    count_of,
    has_text,
    person_method,
)
from innspect.schemas.kinds import FLAG, INN, ISO, OGRN, TEXT, YMD, in_words, moment, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

STAGES = {
    "observation": ("наблюдение", "observation"),
    "financial_recovery": ("финансовое оздоровление", "financial recovery"),
    "external_management": ("внешнее управление", "external management"),
    "proceedings": ("конкурсное производство", "liquidation proceedings"),
    "completed": ("производство завершено", "completed"),
    "citizen_restructuring": ("реструктуризация долгов гражданина", "restructuring of a citizen's debts"),
    "citizen_property_sale": ("реализация имущества гражданина", "sale of a citizen's property"),
}


class Manager(Row):
    """The arbitration manager of a case."""

    name = Field(TEXT, "Name of the arbitration manager.")
    guid = Field(TEXT, "Identifier of the manager in the bankruptcy register.")
    type = Field(one_of("Person", "Company"), "Whether the manager is a person or a company.")


class DebtorCard(Row, key=("case_number|ogrn|inn|name",)):
    """One debtor card found by the exact INN or OGRN; a card alone is not a bankruptcy."""

    status = Field(TEXT, "Recognised stage, or the start of the source's wording in lower case.")
    status_raw = Field(TEXT, "Stage in the source's words.")
    name = Field(TEXT, "Debtor's name on the card.")
    inn = Field(INN, "Debtor's INN on the card.")
    ogrn = Field(OGRN, "Debtor's registration number on the card.")
    region = Field(TEXT, "Region; usually not given.")
    case_number = Field(TEXT, "Number of the arbitration-court case, where a publication has one.")
    arbitration_manager = Inline(Manager, "Manager, if there are publications.", "arbitration_manager_", or_text=True)
    update_date = Field(moment(ISO, YMD), "Last change of the card.")


class Bankruptcy(
    Block,
    name="bankruptcy",
    order=4,
    title_en="Bankruptcy",
    title_ru="Банкротство",
    full_check="bankruptcy",
    methods=(company_method("bankruptcy", 8), person_method("bankruptcy", 10)),
):
    """Bankruptcy of the company or the person: one row, with the heaviest stage."""

    has_bankruptcy = Field(FLAG, "Whether a bankruptcy stage was recognised; a card alone is not one.")
    has_intention = Field(FLAG, "Whether a notice of the intention to go to court is published.")
    status = Field(in_words(STAGES), "Heaviest stage recognised.")
    total_cases = count_of("cases", "Debtor cards found, not bankruptcy cases.")
    cases = List(DebtorCard, "Debtor cards, usually one.")
    raw = Ignored("Free-form service data, normally empty.")
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(content=has_text("status"))

    news_templates = (
        News(
            "procedure",
            ("has_bankruptcy", "has_intention", "status"),
            always=Words("Изменились сведения о банкротстве", "The bankruptcy data changed"),
            heads=(
                cell_change(
                    "Введена процедура банкротства[: {status}]",
                    "Bankruptcy procedure[: {status}]",
                    has_bankruptcy="true",
                ),
                cell_change(
                    "Процедура банкротства[: {status.move}]", "Bankruptcy procedure[: {status.move}]", status="*"
                ),
                cell_change(
                    "Процедура банкротства больше не подтверждается",
                    "A bankruptcy procedure is no longer confirmed",
                    has_bankruptcy="false",
                ),
                cell_change(
                    "Опубликовано намерение обратиться в суд с заявлением о банкротстве",
                    "An intention to file for bankruptcy was published",
                    has_intention="true",
                ),
                cell_change(
                    "Сообщения о намерении обратиться в суд с заявлением о банкротстве больше нет",
                    "The intention to file for bankruptcy is no longer published",
                    has_intention="false",
                ),
            ),
            lines=(
                cell_change(
                    "опубликовано намерение обратиться в суд",
                    "an intention to go to court was published",
                    has_bankruptcy="*",
                    has_intention="true",
                ),
            ),
        ),
        News(
            "cards",
            ("cases",),
            always=Words("Карточка должника[, дело № {case_number}]", "Debtor card[, case No. {case_number}]"),
            heads=(
                addition(
                    "В реестре сведений о банкротстве появилась карточка должника"
                    "[, дело № {case_number}][: {status_raw}]",
                    "A debtor card appeared in the bankruptcy register[, case No. {case_number}][: {status_raw}]",
                ),
                removal(
                    "Карточки должника[, дело № {case_number},] больше нет в реестре сведений о банкротстве",
                    "The bankruptcy register no longer has the debtor card[, case No. {case_number}]",
                ),
            ),
            lines=(
                cell_change("[{status_raw.move}]", "[{status_raw.move}]", "cases"),
                cell_change(
                    "[арбитражный управляющий: {arbitration_manager_name.move}]",
                    "[manager: {arbitration_manager_name.move}]",
                    "cases",
                ),
                cell_change("[обновлена {update_date}]", "[updated {update_date}]", "cases", instead=True),
            ),
            figures=Words(
                "Число карточек должника[: {total_cases.move}]", "Number of debtor cards[: {total_cases.move}]"
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
