"""Companies that the company founded or manages; only in the full check."""

from innspect.schemas.declaration import Block, Field, List, Row, count_of
from innspect.schemas.kinds import INN, OGRN, TEXT, one_of


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
