"""Sanctions lists: the company and its managers."""

import polars as pl

from innspect.schemas.declaration import (
    IS_FULL_CHECK,
    Block,
    CoverageRules,
    Echo,
    Field,
    List,
    Mark,
    Row,
    Withheld,
    company_method,
    has_items,
    was_asked,
)
from innspect.schemas.kinds import ANY_DAY, INN, TEXT, in_words, one_of
from innspect.schemas.news.news_template import (
    BY_ROW,
    DETAILS,
    OF_COMPANY,
    OTHER_INN,
    Line,
    News,
    Words,
    addition,
    cell_change,
    removal,
)

LISTS = ("OFAC_SDN", "OFAC_CONSOL", "UK_FCDO", "FEDSFM_TERR", "FEDSFM_OMU")
CHECKED = one_of(*LISTS, "ROSFIN")
RUSSIAN_LISTS = ("FEDSFM_TERR", "FEDSFM_OMU", "ROSFIN")
"""Codes of the Russian lists: the full check may name them by one code of its own."""


HAS_ALL_LISTS = pl.all_horizontal(
    *(was_asked(code) for code in LISTS if code not in RUSSIAN_LISTS),
    pl.any_horizontal(map(was_asked, RUSSIAN_LISTS)),
)
MAX_LOW_HITS = 25
"""Matches of low confidence in one response."""
OF_MANAGER = (("dob", OF_COMPANY), ("inn", OTHER_INN))
"""Of a checked company, what tells the match of a manager or founder: a birth date, or an INN other than its own."""
IS_LOW = pl.col("match_confidence") == "low"


class Hit(Row, key=("source", "raw_id|name")):
    """One matching entry of a list, highest confidence first."""

    source = Field(
        in_words(
            {
                "OFAC_SDN": ("OFAC SDN", "OFAC SDN"),
                "OFAC_CONSOL": ("OFAC Consolidated", "OFAC Consolidated"),
                "UK_FCDO": ("UK FCDO", "UK FCDO"),
                "FEDSFM_TERR": ("Росфинмониторинга (115-ФЗ)", "of Rosfinmonitoring (115-FZ)"),
                "FEDSFM_OMU": ("Росфинмониторинга (ОМУ)", "of Rosfinmonitoring (WMD)"),
            }
        ),
        "Code of the list.",
    )
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
    designated_at = Field(ANY_DAY, "Day of the listing; often not given.")
    address = Field(TEXT, "Address in the list, up to 300 characters.")
    match_confidence = Field(
        in_words(
            {
                "high": ("по ИНН", "by INN"),
                "medium": ("по полному наименованию", "by the full name"),
                "low": ("по отдельным словам", "by single words"),
            }
        ),
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
    hits = List(
        Hit,
        f"Matches; at most {MAX_LOW_HITS} of low confidence, and only without an exact match.",
        withheld=Withheld(IS_LOW, when=IS_LOW.not_().fill_null(value=True).any(), max_rows=MAX_LOW_HITS),
    )
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")
    sources_checked = Mark(CHECKED, "Codes of the checked lists; only in the full check.", many=True)
    sources_failed = Mark(TEXT, "Lists that could not be checked; only in the full check.", many=True)

    coverage = CoverageRules(
        incomplete={
            "no_source_checked": IS_FULL_CHECK & ~has_items("sources_checked"),
            "list_missed": IS_FULL_CHECK & has_items("sources_checked") & ~HAS_ALL_LISTS,
            "sources_failed": has_items("sources_failed"),
        },
    )

    news_templates = (
        News(
            "matches",
            ("hits",),
            always=Words("Совпадение в санкционном списке[ {source}]", "Match in the sanctions list[ {source}]"),
            heads=(
                *(
                    Line(
                        "",
                        "added",
                        Words(
                            "Возможное совпадение руководителя или участника в санкционном списке[ {list_label}]"
                            "[: {name}] — проверьте, то же ли это лицо",
                            "Possible match of a manager or founder in the sanctions list[ {list_label}]"
                            "[: {name}]; check whether it is the same person",
                        ),
                        (("match_confidence", "low"), of_manager),
                    )
                    for of_manager in OF_MANAGER
                ),
                addition(
                    "Возможное совпадение в санкционном списке[ {list_label}][: {name}] — проверьте, то же ли это лицо",
                    "Possible match in the sanctions list[ {list_label}]"
                    "[: {name}]; check whether it is the same person",
                    match_confidence="low",
                ),
                *(
                    Line(
                        "",
                        "added",
                        Words(
                            "Совпадение руководителя или участника в санкционном списке[ {list_label}][: {name}]"
                            "[, внесён {designated_at}][, точность совпадения: {match_confidence}]",
                            "Match of a manager or founder in the sanctions list[ {list_label}][: {name}]"
                            "[, listed on {designated_at}][, match {match_confidence}]",
                        ),
                        (of_manager,),
                    )
                    for of_manager in OF_MANAGER
                ),
                addition(
                    "Совпадение в санкционном списке[ {list_label}][: {name}]"
                    "[, внесён {designated_at}][, точность совпадения: {match_confidence}]",
                    "Match in the sanctions list[ {list_label}][: {name}]"
                    "[, listed on {designated_at}][, match {match_confidence}]",
                ),
                *(
                    Line(
                        "",
                        "removed",
                        Words(
                            "Совпадения руководителя или участника в списке[ {list_label}] больше нет[: {name}]",
                            "The list[ {list_label}] no longer has the match of a manager or founder[: {name}]",
                        ),
                        (of_manager,),
                    )
                    for of_manager in OF_MANAGER
                ),
                removal(
                    "Совпадения в списке[ {list_label}] больше нет[: {name}]",
                    "The list[ {list_label}] no longer has the match[: {name}]",
                ),
            ),
            lines=(
                cell_change("[{match_confidence.move}]", "[{match_confidence.move}]", "hits"),
                cell_change("[программа: {program.move}]", "[programme: {program.move}]", "hits"),
                cell_change("[наименование: {name.move}]", "[name: {name.move}]", "hits", name="*"),
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
