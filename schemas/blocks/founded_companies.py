"""Companies that the company founded or manages; only the full check brings them."""

from innspect.schemas.declaration import Block, Field, List, Row
from innspect.schemas.kinds import COUNT, INN, OGRN, TEXT, one_of


class RelatedCompany(Row, key=("inn|ogrn|name", "role")):
    """One company in one role towards it."""

    name = Field(TEXT, "Name of the related company.")
    inn = Field(INN, "INN of the related company.")
    ogrn = Field(OGRN, "Registration number of the related company.")
    role = Field(one_of("учредитель", "руководитель"), "Role of the company asked in the related one.")
    status = Field(TEXT, "Status of the related company in the register now.")
    source = Field(TEXT, "Where the relation is known from.")


class FoundedCompanies(
    Block,
    name="founded_companies",
    order=23,
    title_en="Founded companies",
    title_ru="Учреждённые компании",
    full_check="founded_companies",
):
    """Companies founded or managed by the company: one row, with their number."""

    count = Field(COUNT, "Related companies.")
    items = List(RelatedCompany, "Related companies.")
