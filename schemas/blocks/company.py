"""The card of a company or sole proprietor."""

from innspect.schemas.blocks.company_news import NEWS
from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Echo,
    Field,
    Ignored,
    Leaves,
    List,
    Map,
    Mark,
    Row,
    UnknownUnless,
    Zero,
    company_method,
    has_text,
    person_method,
)
from innspect.schemas.kinds import (
    ANY_DAY,
    COUNT,
    DMY,
    FLAG,
    INN,
    JSON,
    KBK,
    KPP,
    LABEL,
    OGRN,
    OKVED,
    PERCENT,
    RUB,
    STAMP,
    TEXT,
    URL,
    YEAR,
    YMD,
    day,
    in_words,
    moment,
    one_of,
)

TERMINATION = in_words(
    {
        "voluntary": ("добровольно", "voluntary"),
        "bankruptcy": ("в связи с банкротством", "bankruptcy"),
        "forced": ("принудительно", "forced"),
        "death": ("в связи со смертью", "death"),
        "unknown": ("основание не указано", "reason not given"),
    }
)


class Registration(Row, key=("ogrnip",)):
    """One registration of a person as sole proprietor."""

    ogrnip = Field(OGRN, "Registration number of that record.")
    name = Field(TEXT, "Full name of the entrepreneur.")
    registration_date = Field(ANY_DAY, "Day of the registration.")
    termination_date = Field(ANY_DAY, "Day of the termination; not given while active.")
    active = Field(FLAG, "Whether the registration is in force.")
    status = Field(TEXT, "Status in the source's words.")
    termination_reason = Field(TEXT, "Reason of the termination.", optional=True)
    termination_kind = Field(TERMINATION, "Kind of termination.", optional=True)


class Director(Row, key=("inn|name", "position"), may_lack="inn"):
    """A manager."""

    name = Field(TEXT, "Full name.")
    inn = Field(INN, "INN, if the register discloses it.")
    position = Field(TEXT, "Position.")


class Founder(Row, key=("inn|name",), may_lack="inn"):
    """A founder, without share."""

    name = Field(TEXT, "Name.")
    inn = Field(INN, "INN: 10 digits for a company, 12 for a person.")


class FounderShare(Row, key=("inn|name",), may_lack="inn"):
    """A founder with share."""

    name = Field(TEXT, "Name.")
    inn = Field(INN, "INN of the participant.")
    share_pct = Field(PERCENT, "Share of the authorized capital.")
    share_rub = Field(RUB, "Nominal value of the share.")
    date = Field(ANY_DAY, "Day the share was entered.", optional=True)


class Beneficiary(Row, key=("inn|name",), may_lack="inn"):
    """An ultimate owner."""

    name = Field(TEXT, "Name.")
    inn = Field(INN, "INN.")
    chain = Field(JSON, "Chain of ownership, as received.", optional=True)
    share_pct = Field(PERCENT, "Share held through the chain.")
    type = Field(TEXT, "Kind of owner.")


class Activity(Row, key=("code",)):
    """An activity."""

    code = Field(OKVED, "Activity code.")
    name = Field(TEXT, "Name of the activity.")
    is_main = Field(FLAG, "Whether it is the main one.")


class YearCount(Row, key=("year",)):
    """Headcount of one year."""

    year = Field(YEAR, "Year.")
    count = Field(COUNT, "Average headcount.")


class TaxDebt(Row, key=("year", "period", "kbkname")):
    """A tax debt."""

    year = Field(YEAR, "Year.")
    period = Field(LABEL, "Period within the year.")
    kbkname = Field(TEXT, "Tax or fee.")
    arrearsum = Field(RUB, "Arrears.")
    penaltysum = Field(RUB, "Penalty interest.")
    finesum = Field(RUB, "Fines.")
    totalsum = Field(RUB, "Total.")


class TaxPayment(Row, key=("year", "kbk|kbkname")):
    """A tax paid."""

    year = Field(YEAR, "Year.")
    kbk = Field(KBK, "Budget classification code.")
    kbkname = Field(TEXT, "Tax or fee.")
    taxsum = Field(RUB, "Amount paid.")


class TaxPaidInYear(Row, key=("year", "tax_name")):
    """A tax paid in a year."""

    year = Field(YEAR, "Year.")
    tax_name = Field(TEXT, "Tax or fee.")
    amount = Field(RUB, "Amount paid.")


class TaxRegime(Row, key=("year", "period", "taxCode")):
    """A tax regime of a period."""

    year = Field(YEAR, "Year.")
    period = Field(LABEL, "Period within the year.")
    taxCode = Field(LABEL, "Code of the regime.")
    taxName = Field(TEXT, "Name of the regime.")


class SocialProfile(Row, key=("network", "url")):
    """A page in a social network."""

    network = Field(TEXT, "Network: vk, ok and so on.")
    url = Field(URL, "Link to the page.")
    name = Field(TEXT, "Name of the page.")
    extra = Field(JSON, "Other data about the page, as received.", optional=True)


class CardLicense(Row, key=("number",)):
    """A licence named on the card."""

    number = Field(TEXT, "Number.")
    date = Field(ANY_DAY, "Day of issue.")
    authority = Field(TEXT, "Licensing authority.")
    activity = Field(TEXT, "Licensed activity.")


class SelfRegulation(Row, key=("inn|name",)):
    """A membership in a self-regulatory organisation."""

    name = Field(TEXT, "Name of the organisation.")
    inn = Field(INN, "Its INN.")
    date = Field(ANY_DAY, "Day of joining.")


class PastAddress(Row):
    """A former address."""

    address = Field(TEXT, "Address.")
    date = Field(ANY_DAY, "First day of validity.")


class Company(
    Block,
    name="company",
    order=1,
    title_en="Card",
    title_ru="Карточка",
    full_check="company",
    methods=(company_method("brief", 4), person_method("brief", 8)),
):
    """The card: who the company or sole proprietor is. One row per INN."""

    inn = Echo()
    ogrn = Field(OGRN, "Registration number: 13 digits, 15 for a sole proprietor.")
    kpp = Field(KPP, "Tax registration reason code; a sole proprietor has none.")
    name = Field(TEXT, "Full name as in the register.")
    short_name = Field(TEXT, "Short name, or the full one if the register has none.")
    status = Field(
        in_words(
            {
                "active": ("действует", "active"),
                "liquidating": ("в стадии ликвидации", "being liquidated"),
                "liquidated": ("деятельность прекращена", "activity ended"),
                "reorganizing": ("в стадии реорганизации", "being reorganized"),
                "bankruptcy": ("банкротство", "bankruptcy"),
            }
        ),
        "Status, normalised.",
    )
    status_description = Field(TEXT, "Status in the source's words.")
    status_name = Field(TEXT, "Exact register status; mostly not given.")
    registration_date = Field(day(YMD, DMY), "Day of registration.")
    liquidation_date = Field(
        ANY_DAY,
        "Day of termination; a date without a reason means liquidation.",
        given="Whether a day of termination is given, readable or not: true or NULL. It alone means liquidation.",
    )
    termination_reason = Field(TEXT, "Reason of the termination, as received.")
    termination_kind = Field(TERMINATION, "Kind of termination; not given while active.")
    ip_records = List(Registration, "Registrations of a sole proprietor, the active one first.")
    address = Field(TEXT, "Registered address in one line with the postal code.")
    director = Field(TEXT, "Person entitled to act without a power of attorney.")
    directors = List(Director, "All managers.")
    founders = List(Founder, "Founders, without shares.")
    founder_shares = List(FounderShare, "Founders with shares.")
    beneficiaries = List(Beneficiary, "Ultimate owners; not given for every company.")
    connections_graph = Field(JSON, "Graph of connections, as received; its fields are not documented.")
    authorized_capital = Field(RUB, "Authorized capital; not filled for a person.", Zero.UNKNOWN_OF_PERSON)
    okved_main = Field(OKVED, "Code of the main activity.")
    okved_name = Field(TEXT, "Name of the main activity; if missing, see okved_list.")
    okved_list = List(Activity, "All activities.")
    employee_count = Field(
        COUNT,
        "Average headcount; 0 only if the history confirms it.",
        UnknownUnless("employees_history", "count"),
    )
    employees_history = List(YearCount, "Average headcount by year.")
    avg_salary = Field(RUB, "Average monthly salary, computed; 0 means not computed.", Zero.UNKNOWN)
    tax_debts = List(TaxDebt, "Tax debts on the card.")
    tax_payments = List(TaxPayment, "Taxes paid.")
    tax_payments_by_year = Map(TaxPaidInYear, "Taxes paid, by year and tax.", keys=("year", "tax_name"))
    tax_years = List(YEAR, "Years with tax data.")
    tax_regimes = List(TaxRegime, "Tax regimes by period.")
    tax_regime = Field(one_of("ОСНО", "УСН", "АУСН", "ЕСХН", "патент"), "Current tax regime, if disclosed.")
    sme_category = Field(TEXT, "Small-business category; not given if not registered or not obtained.")
    invalid_data = Field(FLAG, "The register holds a record of unreliable data.")
    edo = Field(TEXT, "Takes part in electronic document exchange; usually not given.")
    illegal_finance = Field(FLAG, "Flag under the anti-money-laundering law.")
    mass_director = Field(FLAG, "The manager heads several entities.")
    mass_founder = Field(FLAG, "A founder is a mass founder.")
    unfair_supplier = Field(FLAG, "Listed in the unfair-supplier register.")
    disqualified_persons = Field(FLAG, "A disqualified person is among managers or founders.")
    sanctions = Field(FLAG, "Present in sanctions lists.")
    sanctions_founders = Field(FLAG, "Founders are present in sanctions lists.")
    mass_address = Field(FLAG, "Mass-registration address.")
    invalid_address = Field(FLAG, "The register marks the address as unreliable.")
    efrsb_messages = Leaves(
        "Latest publications of the bankruptcy register; also empty if it was not asked. No fields documented.",
        confirms_absence=False,
    )
    phone = Field(TEXT, "Main phone; often not given.")
    email = Field(TEXT, "Main e-mail address; often not given.")
    website = Field(TEXT, "Main site; often not given.")
    phones = List(TEXT, "All known phones.")
    emails = List(TEXT, "All known e-mail addresses.")
    websites = List(TEXT, "All known sites.")
    vk_url = Field(URL, "Page in VK.")
    ok_url = Field(URL, "Page in OK.")
    tg_url = Field(URL, "Page in Telegram.")
    ig_url = Field(URL, "Page in Instagram.")
    social_profiles = Map(SocialProfile, "Pages in social networks.", keys=("network",), many=True)
    birth_date = Field(ANY_DAY, "Day of birth, for a person or sole proprietor.")
    okpo = Field(TEXT, "Statistics code: enterprise.")
    oktmo = Field(TEXT, "Statistics code: municipal territory.")
    okato = Field(TEXT, "Statistics code: administrative territory.")
    okopf = Field(TEXT, "Statistics code: legal form.")
    okogu = Field(TEXT, "Statistics code: governing body.")
    okfs = Field(TEXT, "Statistics code: form of ownership.")
    pfr_number = Field(TEXT, "Registration number in the pension fund.")
    fss_number = Field(TEXT, "Registration number in the social insurance fund.")
    licenses = List(CardLicense, "Licences named on the card.")
    sro = List(SelfRegulation, "Memberships in self-regulatory organisations.")
    timeline = Leaves("History inside the card; normally empty, no fields documented.")
    news = Leaves("Media mentions; usually empty, no fields documented.")
    address_history = List(PastAddress, "Former addresses.")
    previous_names = List(TEXT, "Former names.")
    raw = Ignored("Free-form service data.")
    error = Mark(TEXT, "Error of the collection; empty if there was none.")
    _source_local = Mark(TEXT, "Origin of a stored record; not given if the card was fetched live.")
    _source_fetched_at = Mark(moment(STAMP), "When the source record entered the stored base.", dates="_source_local")

    coverage = CoverageRules(
        unconfirmed={"no_identity": ~(has_text("ogrn") | has_text("name"))},
        content=has_text("ogrn") | has_text("name"),
        content_only=True,
    )
    news_templates = NEWS
