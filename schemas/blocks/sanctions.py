"""Sanctions lists: the company and its managers."""

from innspect.schemas.declaration import Block, CoverageRules, Echo, Field, List, Mark, Row, company_method, has_items
from innspect.schemas.kinds import DMY, INN, TEXT, YMD, day, one_of

LISTS = ("OFAC_SDN", "OFAC_CONSOL", "UK_FCDO", "FEDSFM_TERR", "FEDSFM_OMU")
CHECKED = one_of(*LISTS, "ROSFIN")


class Hit(Row, key=("source", "raw_id|name")):
    """One entry of a list that matched, the surest first."""

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
    name = Field(TEXT, "Name as the list spells it, mostly in Latin letters.")
    name_ru = Field(TEXT, "Name in Cyrillic, where the list has it.")
    inn = Field(INN, "INN in the list; rarely given.")
    dob = Field(TEXT, "Birth date of a person, as the list spells it: it may be a year or approximate.")
    program = Field(TEXT, "Code of the programme, up to 200 characters.")
    designated_at = Field(day(YMD, DMY), "Day of the listing; often not given.")
    address = Field(TEXT, "Address in the list, up to 300 characters.")
    match_confidence = Field(
        one_of("high", "medium", "low"), "high: by INN; medium: by the whole name; low: by words, to be checked by eye."
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
    name = Field(TEXT, "Name that was looked for, as the company register has it.")
    hits = List(Hit, "Matches; those of low confidence, at most 25, only where nothing matched exactly.")
    error = Mark(TEXT, "Error of the look-up; empty when it went well.")
    sources_checked = Mark(CHECKED, "Codes of the lists checked; the full check alone tells them.", many=True)
    sources_failed = Mark(TEXT, "Lists that could not be checked; the full check alone tells them.", many=True)

    coverage = CoverageRules(incomplete={"sources_failed": has_items("sources_failed")})
