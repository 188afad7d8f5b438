"""Companies that the company founded or manages; only in the full check."""

from innspect.schemas.declaration import Block, Field, List, Row, count_of
from innspect.schemas.kinds import INN, OGRN, TEXT, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal


class RelatedCompany(Row, key=("inn|ogrn|name", "role")):
    """One related company in one role."""

    name = Field(TEXT, "Name of the related company.")
    inn = Field(INN, "INN of the related company.")
    ogrn = Field(OGRN, "Registration number of the related company.")
    role = Field(one_of("учредитель", "руководитель"), "Role of the requested company in the related one.")
    status = Field(TEXT, "Current status of the related company in the register.")
    source = Field(TEXT, "Source of the relation.")


class FoundedCompanies(
    Block,
    name="founded_companies",
    order=23,
    title_en="Founded companies",
    title_ru="Учреждённые компании",
    full_check="founded_companies",
):
    """Companies founded or managed by the company: one row, with their number."""

    count = count_of("items", "Related companies.")
    items = List(RelatedCompany, "Related companies.")

    news_templates = (
        News(
            "companies",
            ("items",),
            always=Words("Учреждённая или управляемая компания[ ({inn})]", "Founded or managed company[ ({inn})]"),
            heads=(
                addition(
                    "Контрагент стал учредителем[ компании {name}][ (ИНН {inn})]",
                    "The counterparty became a founder[ of {name}][ (INN {inn})]",
                    role="учредитель",
                ),
                addition(
                    "Контрагент стал руководителем[ компании {name}][ (ИНН {inn})]",
                    "The counterparty became the manager[ of {name}][ (INN {inn})]",
                ),
                removal(
                    "Контрагент больше не учредитель[ компании {name}][ (ИНН {inn})]",
                    "The counterparty is no longer a founder[ of {name}][ (INN {inn})]",
                    role="учредитель",
                ),
                removal(
                    "Контрагент больше не руководитель[ компании {name}][ (ИНН {inn})]",
                    "The counterparty is no longer the manager[ of {name}][ (INN {inn})]",
                ),
            ),
            lines=(
                cell_change("[статус: {status.move}]", "[status: {status.move}]", "items"),
                cell_change("[наименование: {name.move}]", "[name: {name.move}]", "items"),
            ),
            figures=Words(
                "Число учреждённых и управляемых компаний[: {count.move}]",
                "Number of founded and managed companies[: {count.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
