"""Sanctions lists: the company and its managers."""

from innspect.schemas.declaration import Block, CoverageRules, Echo, Field, List, Mark, Row, company_method, has_items
from innspect.schemas.kinds import DMY, INN, TEXT, YMD, day, one_of

LISTS = ("OFAC_SDN", "OFAC_CONSOL", "UK_FCDO", "FEDSFM_TERR", "FEDSFM_OMU")
CHECKED = one_of(*LISTS, "ROSFIN")


class Hit(Row, key=("source", "raw_id|name")):
    """One matching entry of a list, highest confidence first."""

    source = Field(one_of(*LISTS), "Code of the list.")
    list_label = Field(
        one_of(
            "OFAC SDN List",
            "OFAC Consolidated",
            "UK FCDO Sanctions List",
            "Росфинмониторинг (115-ФЗ)",
            "Росфинмониторинг (ОМУ)",
        ),
        "Name of the list.",
    )
    name = Field(TEXT, "Name as in the list, mostly in Latin letters.")
    name_ru = Field(TEXT, "Name in Cyrillic, if the list has it.")
    inn = Field(INN, "INN in the list; rarely given.")
    dob = Field(TEXT, "Birth date of a person as in the list; may be a year or approximate.")
    program = Field(TEXT, "Code of the programme, up to 200 characters.")
    designated_at = Field(day(YMD, DMY), "Day of the listing; often not given.")
    address = Field(TEXT, "Address in the list, up to 300 characters.")
    match_confidence = Field(
        one_of("high", "medium", "low"),
        "high: by INN; medium: by the full name; low: by words, to be checked by a person.",
    )
    raw_id = Field(TEXT, "Identifier of the entry in its list.")


class Sanctions(
    Block,
    name="sanctions",
    order=11,
    title_en="Sanctions",
    title_ru="Санкции",
    full_check="sanctions_check",
    methods=(company_method("sanctions", 5),),
):
    """Matches in sanctions lists: one row per company or person."""

    inn = Echo()
    name = Field(TEXT, "Name searched for, as in the company register.", content=False)
    hits = List(Hit, "Matches; at most 25 of low confidence, and only without an exact match.")
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")
    sources_checked = Mark(CHECKED, "Codes of the checked lists; only in the full check.", many=True)
    sources_failed = Mark(TEXT, "Lists that could not be checked; only in the full check.", many=True)

    coverage = CoverageRules(incomplete={"sources_failed": has_items("sources_failed")})
