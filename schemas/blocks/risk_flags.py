"""Risk flags: mass and disqualified persons, and data from the sources of the card."""

import polars as pl

from innspect.schemas.blocks.company_news import inn_changes
from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Followed,
    List,
    Mark,
    Reserved,
    Row,
    Zero,
    company_method,
    has_text,
    is_true,
    number_or_zero,
)
from innspect.schemas.kinds import (
    ANY_DAY,
    COUNT,
    DMY,
    FLAG,
    INN,
    ISO,
    OGRN,
    OKVED,
    PERCENT,
    RUB,
    TEXT,
    YEAR,
    day,
    moment,
    one_of,
)
from innspect.schemas.news.news_template import (
    BY_ROW,
    DETAILS,
    News,
    Words,
    addition,
    cell_change,
    of_column,
    of_flag,
    removal,
)

MASS_CHECK_FAILED = "mass_check_unavailable"
MASS_CHECK_SOURCE = "mass_source"
MAX_LINKS = 250
"""Facts that link companies in one response, all linked companies together."""
MAX_PERSONS = 15
"""Persons through whom companies are linked."""
REASONS = (
    "anti_bot_html",
    "captcha_unsolved",
    "captcha_rejected",
    "no_captcha_token",
    "no_token",
    "no_search_id",
    "search_not_json",
    "result_non_json",
    "no_response",
    "no_fio",
    "all_checks_failed",
)
OTHER_BLOCK_HAS_FLAG = "Always false here; another block has the actual value."
OTHER_BLOCK_HAS_VALUES = "Always empty here; another block has the actual values."


class Disqualification(Row, key=("matched_name|queried_name", "birth_date", "start_date")):
    """A disqualified manager or founder."""

    queried_name = Field(TEXT, "Name searched for.")
    matched_name = Field(TEXT, "Name in the register of disqualified persons.")
    birth_date = Field(day(DMY), "Day of birth.")
    company = Field(TEXT, "Company in which the offence was committed.")
    position = Field(TEXT, "Position held there.")
    offence = Field(TEXT, "Offence.")
    start_date = Field(day(DMY), "First day of the disqualification.")
    end_date = Field(day(DMY), "Last day of the disqualification.")
    term = Field(TEXT, "Term in words.")


class YearCount(Row, key=("year",)):
    """Headcount of one year."""

    year = Field(YEAR, "Year of the average.")
    count = Field(COUNT, "Average headcount of that year.")


class FounderShare(Row, key=("inn|name",), may_lack="inn"):
    """A founder with share."""

    name = Field(TEXT, "Name of the founder.")
    inn = Field(INN, "INN: 12 digits for a person, 10 for a company; not always known.")
    share_pct = Field(PERCENT, "Share of the authorized capital; 0 means not disclosed.", zero=Zero.UNKNOWN)
    share_rub = Field(RUB, "Nominal value of the share; 0 means not disclosed.", zero=Zero.UNKNOWN)
    date = Field(ANY_DAY, "Day the share was entered; almost never given.")


class Activity(Row, key=("code",)):
    """An activity."""

    code = Field(OKVED, "Activity code.")
    name = Field(TEXT, "Name of the activity; not always given.")


class Publication(Row, key=("number", "date")):
    """A publication of the bankruptcy register."""

    type = Field(TEXT, "Kind of publication.")
    date = Field(moment(ISO), "When it was published.")
    text = Field(TEXT, "Text of the publication.")
    number = Field(TEXT, "Number of the publication.")
    publisher = Field(TEXT, "Who published it.")


class Link(Row):
    """One fact that links the two companies."""

    role = Field(TEXT, "Role of the person in the linked company.")
    via_name = Field(TEXT, "Person or company through whom they are linked.")
    via_inn = Field(INN, "INN of that person or company.")
    source = Field(TEXT, "Register with the fact.")


class LinkedCompany(Row, key=("inn|ogrn|name",)):
    """A company linked through a manager or a founder."""

    inn = Field(INN, "INN of the linked company.")
    ogrn = Field(OGRN, "Registration number of the linked company.")
    name = Field(TEXT, "Name of the linked company.")
    status = Field(TEXT, "Status of the linked company.")
    role = Field(TEXT, "учредитель, руководит or связан, else in the source's words.")
    via_name = Field(TEXT, "Person or company through whom it is linked.")
    via_inn = Field(INN, "INN of that person or company.")
    historic = Field(FLAG, "Whether the linked company is liquidated or inactive.")
    source = Field(TEXT, "Register with the link; always the same.")
    connections = List(Link, "Facts that link the companies, one row each.", max_rows=MAX_LINKS)


def _checked_flag(description: str) -> Field:
    """A flag of the mass check."""
    return Field(FLAG, description, null_while=MASS_CHECK_FAILED, null_without=MASS_CHECK_SOURCE)


class RiskFlags(
    Block,
    name="risk_flags",
    order=9,
    title_en="Tax service's risk flags",
    title_ru="Признаки риска ФНС",
    full_check="risk_flags",
    methods=(company_method("risk-flags", 6),),
):
    """Risk flags of the company: one row; the full check has only the flags, the disqualified persons and the links."""

    mass_director = _checked_flag("The manager heads five entities or more.")
    mass_founder = _checked_flag("A founder takes part in five entities or more.")
    mass_address = _checked_flag("The address is a mass-registration address.")
    disqualified_persons = _checked_flag("A current manager or founder is disqualified.")
    mass_check_unavailable = Mark(FLAG, "The checks of mass persons and disqualification did not run.")
    mass_check_reason = Mark(one_of(*REASONS, or_pattern="^exception:"), "Why the checks did not run.")
    mass_source = Mark(TEXT, "Source of the checks; only if they ran.")
    disqualified_records = List(Disqualification, "Disqualified persons.")
    authorized_capital = Field(RUB, "Authorized capital; 0 means no data.", zero=Zero.UNKNOWN, full_check=False)
    status_name = Field(TEXT, "Status in words; none if unknown.", full_check=False)
    employee_count = Field(COUNT, "Headcount; 0 means no data.", zero=Zero.UNKNOWN, full_check=False)
    employees_history = List(YearCount, "Headcount by year, the latest first.", full_check=False)
    founder_shares = List(FounderShare, "Founders with shares.", full_check=False)
    okved_list = List(Activity, "Activities, at most 100.", full_check=False, max_rows=100)
    efrsb_messages = List(
        Publication, "Publications of the bankruptcy register, the latest 20.", full_check=False, max_rows=20
    )
    linked_companies = List(
        LinkedCompany,
        f"Linked companies; at most {MAX_PERSONS} persons are followed, and {MAX_LINKS} links.",
        max_rows=MAX_LINKS,
        followed=Followed(("via_inn", "via_name"), MAX_PERSONS, inside="connections"),
    )
    sme_category = Field(
        one_of("Микропредприятие", "Малое предприятие", "Среднее предприятие"),
        "Small-business category; the block msp is more reliable.",
        full_check=False,
    )
    address_history = Reserved([], "Always empty; changes are in the timeline.")
    tax_regime = Reserved("", "Always empty here; the card has it.")
    illegal_finance = Reserved(empty=False, reason=OTHER_BLOCK_HAS_FLAG)
    unfair_supplier = Reserved(empty=False, reason=OTHER_BLOCK_HAS_FLAG)
    sanctions = Reserved(empty=False, reason=OTHER_BLOCK_HAS_FLAG)
    sanctions_founders = Reserved(empty=False, reason=OTHER_BLOCK_HAS_FLAG)
    invalid_address = Reserved(empty=False, reason=OTHER_BLOCK_HAS_FLAG)
    phone = Reserved("", OTHER_BLOCK_HAS_VALUES)
    email = Reserved("", OTHER_BLOCK_HAS_VALUES)
    website = Reserved("", OTHER_BLOCK_HAS_VALUES)
    phones = Reserved([], OTHER_BLOCK_HAS_VALUES)
    emails = Reserved([], OTHER_BLOCK_HAS_VALUES)
    websites = Reserved([], OTHER_BLOCK_HAS_VALUES)
    licenses = Reserved([], OTHER_BLOCK_HAS_VALUES)
    sro = Reserved([], OTHER_BLOCK_HAS_VALUES)

    coverage = CoverageRules(
        partial={
            MASS_CHECK_FAILED: is_true(MASS_CHECK_FAILED),
            "mass_check_unknown": pl.col(MASS_CHECK_FAILED).is_null() & ~has_text(MASS_CHECK_SOURCE),
        },
        content=has_text("status_name")
        | has_text("sme_category")
        | (number_or_zero("authorized_capital") > 0)
        | (number_or_zero("employee_count") > 0),
    )

    news_templates = (
        of_flag(
            "mass_director",
            Words(
                "ФНС: руководитель возглавляет несколько организаций («массовый»)",
                "Tax service: the manager heads several entities",
            ),
            Words(
                "ФНС: признак «массового» руководителя снят",
                "Tax service: the manager no longer heads several entities",
            ),
        ),
        of_flag(
            "mass_founder",
            Words(
                "ФНС: «массовый» участник, участвует в нескольких организациях",
                "Tax service: a founder takes part in several entities",
            ),
            Words(
                "ФНС: признак «массового» участника снят",
                "Tax service: no founder takes part in several entities any more",
            ),
        ),
        of_flag(
            "mass_address",
            Words("ФНС: адрес отмечен как адрес массовой регистрации", "Tax service: a mass-registration address"),
            Words(
                "ФНС: признак адреса массовой регистрации снят", "Tax service: no longer a mass-registration address"
            ),
        ),
        News(
            "disqualified",
            ("disqualified_persons", "disqualified_records"),
            always=Words("Изменились сведения о дисквалифицированных лицах", "Data on disqualified persons changed"),
            heads=(
                addition(
                    "Дисквалифицированное лицо среди руководителей или участников",
                    "A disqualified person among managers or founders",
                ),
                cell_change(
                    "Дисквалифицированное лицо среди руководителей или участников",
                    "A disqualified person among managers or founders",
                    disqualified_persons="true",
                ),
                removal(
                    "Записей о дисквалификации стало меньше",
                    "Fewer entries about disqualifications",
                ),
                cell_change(
                    "Признак дисквалифицированного лица снят",
                    "No disqualified person is in charge any more",
                    disqualified_persons="false",
                ),
            ),
            lines=(
                addition(
                    "[{matched_name}][, срок до {end_date}][, {offence}]",
                    "[{matched_name}][, until {end_date}][, {offence}]",
                    "disqualified_records",
                ),
                removal(
                    "[больше не значится: {matched_name}][, срок до {end_date}]",
                    "[no longer shown: {matched_name}][, until {end_date}]",
                    "disqualified_records",
                ),
                cell_change(
                    "[{matched_name}][: срок до {end_date.move}]",
                    "[{matched_name}][: until {end_date.move}]",
                    "disqualified_records",
                ),
            ),
        ),
        of_column("authorized_capital", "Уставный капитал (сведения ФНС)", "Authorized capital (tax service)"),
        of_column("status_name", "Статус (сведения ФНС)", "Status (tax service)"),
        of_column("sme_category", "Категория субъекта МСП (сведения ФНС)", "Small-business category (tax service)"),
        News(
            "headcount",
            ("employee_count", "employees_history"),
            always=Words("Среднесписочная численность (сведения ФНС)", "Average headcount (tax service)"),
            lines=(
                cell_change("[{employee_count.move}]", "[{employee_count.move}]"),
                addition("[за {year} год: {count}]", "[for {year}: {count}]", "employees_history", first="year"),
                cell_change(
                    "[за {year} год: {count.move}]", "[for {year}: {count.move}]", "employees_history", first="year"
                ),
            ),
            other=DETAILS,
        ),
        News(
            "shares",
            ("founder_shares",),
            always=Words(
                "Изменился состав участников или их доли (сведения ФНС)",
                "Founders or their shares changed (tax service)",
            ),
            heads=(
                cell_change(
                    "Изменились сведения об участниках (сведения ФНС)",
                    "The data on founders changed (tax service)",
                    "founder_shares",
                    inn="*",
                ),
            ),
            lines=(
                cell_change(
                    "[{inn:person}][: {share_pct.move}]",
                    "[{inn:person}][: {share_pct.move}]",
                    "founder_shares",
                    share_pct="*",
                ),
                cell_change(
                    "[{inn:person}][: {share_rub.move}]",
                    "[{inn:person}][: {share_rub.move}]",
                    "founder_shares",
                    instead=True,
                    share_rub="*",
                ),
                addition(
                    "[новый участник {name}][ — {share_pct}]",
                    "[new founder {name}][, {share_pct}]",
                    "founder_shares",
                    first="share_pct",
                ),
                removal(
                    "[больше не участник {name}][ (было {share_pct})]",
                    "[no longer a founder: {name}][ (had {share_pct})]",
                    "founder_shares",
                ),
                *inn_changes("founder_shares"),
            ),
            other=DETAILS,
        ),
        News(
            "activities",
            ("okved_list",),
            always=Words(
                "Изменился перечень видов деятельности (сведения ФНС)", "The activities changed (tax service)"
            ),
            lines=(
                addition("[добавлен {code}][ {name}]", "[added {code}][ {name}]", "okved_list"),
                removal("[исключён {code}][ {name}]", "[removed {code}][ {name}]", "okved_list"),
                cell_change("[{code}: {name.move}]", "[{code}: {name.move}]", "okved_list", name="*"),
            ),
        ),
        News(
            "publications",
            ("efrsb_messages",),
            always=Words("Сообщение[ № {number}] в ЕФРСБ", "Publication[ No. {number}] of the bankruptcy register"),
            heads=(
                addition(
                    "Новое сообщение в ЕФРСБ[ № {number}][ от {date}][: {type}][, {publisher}]",
                    "New publication of the bankruptcy register[ No. {number}][ of {date}][: {type}][, {publisher}]",
                ),
                removal(
                    "Сообщения[ № {number}] больше нет в ЕФРСБ[: {type}]",
                    "The bankruptcy register no longer shows publication[ No. {number}][: {type}]",
                ),
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
        News(
            "links",
            ("linked_companies",),
            always=Words("Изменились связи с другими компаниями", "Links with other companies changed"),
            heads=(
                addition("Новые связанные компании", "New linked companies"),
                removal("Связанных компаний стало меньше", "Fewer linked companies"),
            ),
            lines=(
                addition(
                    "[{name}][ (ИНН {inn})][, через {via_name}]",
                    "[{name}][ (INN {inn})][, through {via_name}]",
                    "linked_companies",
                ),
                removal(
                    "[больше не значится: {name}][ (ИНН {inn})][, через {via_name}]",
                    "[no longer shown: {name}][ (INN {inn})][, through {via_name}]",
                    "linked_companies",
                ),
                cell_change(
                    "[ИНН {inn}: через {via_name.move}]",
                    "[INN {inn}: through {via_name.move}]",
                    "linked_companies",
                    via_name="*",
                ),
                cell_change("[ИНН {inn}: {status.move}]", "[INN {inn}: {status.move}]", "linked_companies", status="*"),
                addition(
                    "[через {via_name}][: {role}]",
                    "[through {via_name}][: {role}]",
                    "linked_companies.connections",
                    instead=True,
                ),
            ),
            other=DETAILS,
        ),
    )
