"""News of the card: what a change of each of its parts means."""

from innspect.schemas.news.news_template import (
    BY_ROW,
    DETAILS,
    Line,
    News,
    Words,
    addition,
    cell_change,
    of_column,
    of_flag,
    removal,
)


def inn_changes(table: str, who: str = "inn:person") -> tuple[Line, Line]:
    """Lines for an INN that the register discloses, and for one that it withholds; `who`: the cell that names whose."""
    given = cell_change(
        f"[указан ИНН {{inn}}][: {{{who}}}]", f"[INN {{inn}} is given][: {{{who}}}]", table, instead=True, inn="+"
    )
    withheld = cell_change(
        f"ИНН больше не указан[: {{{who}}}]", f"an INN is no longer given[: {{{who}}}]", table, instead=True, inn="-"
    )
    return given, withheld


NEWS = (
    News(
        "status",
        (
            "status",
            "status_description",
            "status_name",
            "liquidation_date",
            "termination_reason",
            "termination_kind",
        ),
        always=Words("Изменились сведения о статусе", "The status data changed"),
        heads=(
            cell_change("Изменился статус", "The status changed", status="*"),
            cell_change(
                "Внесена дата прекращения деятельности", "A date of termination was entered", liquidation_date="+"
            ),
            cell_change(
                "Дата прекращения деятельности отменена",
                "The date of termination was withdrawn",
                liquidation_date="-",
            ),
        ),
        lines=(
            cell_change("[{status.move}]", "[{status.move}]"),
            cell_change("[дата прекращения: {liquidation_date}]", "[terminated on {liquidation_date}]"),
            cell_change("[основание: {termination_kind}]", "[reason: {termination_kind}]"),
            cell_change("[{status_description.move}]", "[{status_description.move}]", instead=True),
            cell_change("[{status_name.move}]", "[{status_name.move}]", instead=True),
            cell_change("[основание: {termination_reason.move}]", "[reason: {termination_reason.move}]", instead=True),
        ),
        other=DETAILS,
    ),
    News(
        "manager",
        ("director", "directors"),
        always=Words("Изменились сведения о руководителе", "The managers changed"),
        heads=(
            cell_change("Сменился руководитель", "The manager changed", director="*"),
            cell_change("Изменились сведения о руководителе", "The data on a manager changed", "directors", inn="*"),
        ),
        lines=(
            cell_change("[{director.move}]", "[{director.move}]"),
            addition("[{position} ][{name}]", "[{position} ][{name}]", "directors", instead=True),
            removal(
                "[больше не указан: {name}][, {position}]",
                "[no longer given: {name}][, {position}]",
                "directors",
                instead=True,
            ),
            *inn_changes("directors", "position"),
        ),
        other=DETAILS,
    ),
    News(
        "shares",
        ("founders", "founder_shares"),
        always=Words("Изменился состав участников или их доли", "The founders or their shares changed"),
        heads=tuple(
            cell_change("Изменились сведения об участниках", "The data on founders changed", table, inn="*")
            for table in ("founders", "founder_shares")
        ),
        lines=(
            cell_change(
                "[{inn:person}][: {share_pct.move}]",
                "[{inn:person}][: {share_pct.move}]",
                "founder_shares",
                share_pct="*",
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
            cell_change(
                "[{inn:person}][: {share_rub.move}]",
                "[{inn:person}][: {share_rub.move}]",
                "founder_shares",
                instead=True,
                share_rub="*",
            ),
            cell_change(
                "[{inn:person}][: {name.move}]",
                "[{inn:person}][: {name.move}]",
                "founder_shares",
                instead=True,
                name="*",
            ),
            addition("[новый участник {name}]", "[new founder {name}]", "founders", instead=True),
            removal("[больше не участник {name}]", "[no longer a founder: {name}]", "founders", instead=True),
            cell_change("[{inn}][: {name.move}]", "[{inn}][: {name.move}]", "founders", instead=True, name="*"),
            *inn_changes("founders"),
            *inn_changes("founder_shares"),
        ),
        other=DETAILS,
    ),
    News(
        "owners",
        ("beneficiaries",),
        always=Words("Изменились сведения о бенефициарных владельцах", "The ultimate owners changed"),
        lines=(
            addition(
                "[добавлен {name}][ — {share_pct}]",
                "[added {name}][, {share_pct}]",
                "beneficiaries",
                first="share_pct",
            ),
            removal("[больше не указан {name}]", "[no longer given: {name}]", "beneficiaries"),
            cell_change(
                "[{inn:person}][: {share_pct.move}]",
                "[{inn:person}][: {share_pct.move}]",
                "beneficiaries",
                share_pct="*",
            ),
        ),
        other=DETAILS,
    ),
    News(
        "name",
        ("name", "short_name", "previous_names"),
        always=Words("Изменилось наименование", "The name changed"),
        lines=(
            cell_change("[{short_name.move}]", "[{short_name.move}]"),
            cell_change("[{name.move}]", "[{name.move}]", instead=True),
            addition("[прежнее: {value}]", "[former: {value}]", "previous_names", instead=True),
        ),
        other=DETAILS,
    ),
    News(
        "address",
        ("address", "address_history"),
        always=Words("Изменились сведения об адресе", "The address data changed"),
        heads=(cell_change("Изменился адрес", "The address changed", address="*"),),
        lines=(
            cell_change("[{address.move}]", "[{address.move}]"),
            addition(
                "[прежний: {address}][ (с {date})]",
                "[former: {address}][ (since {date})]",
                "address_history",
                instead=True,
            ),
        ),
        other=DETAILS,
    ),
    of_column("authorized_capital", "Изменился уставный капитал", "The authorized capital changed"),
    News(
        "activity",
        ("okved_main", "okved_name", "okved_list"),
        always=Words("Изменился перечень видов деятельности", "The activities changed"),
        heads=(cell_change("Сменился основной вид деятельности", "The main activity changed", okved_main="*"),),
        lines=(
            cell_change("[{okved_main.move}][, {okved_name}]", "[{okved_main.move}][, {okved_name}]", okved_main="*"),
            addition("[добавлен {code}][ {name}]", "[added {code}][ {name}]", "okved_list"),
            removal("[исключён {code}][ {name}]", "[removed {code}][ {name}]", "okved_list"),
            cell_change("[{okved_name.move}]", "[{okved_name.move}]", instead=True),
        ),
        other=DETAILS,
    ),
    News(
        "headcount",
        ("employee_count", "employees_history"),
        always=Words("Среднесписочная численность", "Average headcount"),
        lines=(
            cell_change("[{employee_count.move}]", "[{employee_count.move}]"),
            addition("[за {year} год: {count}]", "[for {year}: {count}]", "employees_history", first="year"),
            cell_change(
                "[за {year} год: {count.move}]", "[for {year}: {count.move}]", "employees_history", first="year"
            ),
        ),
        other=DETAILS,
    ),
    of_column("avg_salary", "Средняя зарплата (расчётная)", "Average salary (computed)"),
    of_column("tax_regime", "Изменился налоговый режим", "The tax regime changed"),
    News(
        "taxes_paid",
        ("tax_years", "tax_payments", "tax_payments_by_year"),
        always=Words(
            "Изменились сведения об уплаченных налогах[ за {value} год]", "Data on taxes paid[ for {value}] changed"
        ),
        heads=(
            addition("Новые сведения об уплаченных налогах[ за {value} год]", "New data on taxes paid[ for {value}]"),
            removal(
                "Источник больше не приводит уплаченные налоги[ за {value} год]",
                "The source no longer gives the taxes paid[ for {value}]",
            ),
        ),
        lines=(
            addition("[{tax_name}][ — {amount}]", "[{tax_name}][: {amount}]", "tax_payments_by_year", first="amount"),
            cell_change(
                "[{tax_name}][: {amount.move}]",
                "[{tax_name}][: {amount.move}]",
                "tax_payments_by_year",
                first="amount",
                amount="*",
            ),
            addition(
                "[{kbkname}][ — {taxsum}]", "[{kbkname}][: {taxsum}]", "tax_payments", first="taxsum", instead=True
            ),
            cell_change(
                "[КБК {kbk}][: {taxsum.move}]",
                "[KBK {kbk}][: {taxsum.move}]",
                "tax_payments",
                instead=True,
                taxsum="*",
            ),
        ),
        by="year|value",
    ),
    News(
        "tax_regimes",
        ("tax_regimes",),
        always=Words(
            "Изменились сведения о налоговых режимах[ за {year} год]", "Data on tax regimes[ for {year}] changed"
        ),
        heads=(
            addition("Сведения о налоговом режиме[ за {year} год]", "Data on the tax regime[ for {year}]"),
            removal(
                "Источник больше не приводит налоговый режим[ за {year} год]",
                "The source no longer gives the tax regime[ for {year}]",
            ),
        ),
        lines=(addition("[{taxName}]", "[{taxName}]", "tax_regimes"),),
        by="year",
    ),
    News(
        "tax_debts",
        ("tax_debts",),
        always=Words("Изменилась задолженность по налогам в карточке", "The tax debts on the card changed"),
        lines=(
            addition(
                "[{kbkname}][ за {year} год][ — {totalsum}]",
                "[{kbkname}][ for {year}][: {totalsum}]",
                "tax_debts",
                first="totalsum",
            ),
            cell_change("[{kbkname}][: {totalsum.move}]", "[{kbkname}][: {totalsum.move}]", "tax_debts", totalsum="*"),
            removal(
                "[больше не указана: {kbkname}][ за {year} год]",
                "[no longer given: {kbkname}][ for {year}]",
                "tax_debts",
            ),
        ),
        other=DETAILS,
    ),
    of_column("sme_category", "Изменилась категория субъекта МСП", "The small-business category changed"),
    of_flag(
        "invalid_data",
        Words("В ЕГРЮЛ внесена запись о недостоверности сведений", "The register holds a record of unreliable data"),
        Words("Запись о недостоверности сведений больше не значится", "The record of unreliable data is gone"),
    ),
    of_flag(
        "invalid_address",
        Words("В ЕГРЮЛ внесена запись о недостоверности адреса", "The register marks the address as unreliable"),
        Words("Запись о недостоверности адреса больше не значится", "The address is no longer marked as unreliable"),
    ),
    of_flag(
        "illegal_finance",
        Words(
            "Появилась отметка по Закону № 115-ФЗ (противодействие легализации преступных доходов)",
            "A flag under the anti-money-laundering law",
        ),
        Words("Отметка по Закону № 115-ФЗ снята", "The flag under the anti-money-laundering law was withdrawn"),
    ),
    of_flag(
        "mass_director",
        Words("Руководитель стал «массовым»: возглавляет несколько организаций", "The manager heads several entities"),
        Words("Признак «массового» руководителя снят", "The manager no longer heads several entities"),
    ),
    of_flag(
        "mass_founder",
        Words(
            "Участник стал «массовым»: участвует в нескольких организациях",
            "A founder takes part in several entities",
        ),
        Words("Признак «массового» участника снят", "No founder takes part in several entities any more"),
    ),
    of_flag(
        "mass_address",
        Words("Адрес отмечен как адрес массовой регистрации", "The address is a mass-registration address"),
        Words("Признак адреса массовой регистрации снят", "The address is no longer a mass-registration address"),
    ),
    of_flag(
        "unfair_supplier",
        Words("Включён в реестр недобросовестных поставщиков", "Listed in the unfair-supplier register"),
        Words("Отметки о недобросовестном поставщике больше нет", "No longer listed in the unfair-supplier register"),
    ),
    of_flag(
        "disqualified_persons",
        Words(
            "Дисквалифицированное лицо среди руководителей или участников",
            "A disqualified person among managers or founders",
        ),
        Words("Признак дисквалифицированного лица снят", "No disqualified person among managers or founders any more"),
    ),
    of_flag(
        "sanctions",
        Words("Контрагент внесён в санкционный список", "The counterparty is on a sanctions list"),
        Words("Отметки о санкциях против контрагента больше нет", "The counterparty is no longer marked as sanctioned"),
    ),
    of_flag(
        "sanctions_founders",
        Words("Участник контрагента внесён в санкционный список", "A founder is on a sanctions list"),
        Words("Отметки о санкциях против участников больше нет", "No founder is marked as sanctioned any more"),
    ),
    of_column("edo", "Электронный документооборот", "Electronic document exchange"),
    News(
        "contacts",
        (
            "phone",
            "email",
            "website",
            "vk_url",
            "ok_url",
            "tg_url",
            "ig_url",
            "phones",
            "emails",
            "websites",
            "social_profiles",
        ),
        always=Words("Изменились контакты", "The contacts changed"),
        lines=(
            cell_change("[телефон {phone.move}]", "[phone {phone.move}]"),
            cell_change("[e-mail {email.move}]", "[e-mail {email.move}]"),
            cell_change("[сайт {website.move}]", "[site {website.move}]"),
            addition("[добавлен телефон {value}]", "[phone added: {value}]", "phones", instead=True),
            removal("[больше не указан телефон {value}]", "[phone no longer given: {value}]", "phones", instead=True),
            addition("[добавлен e-mail {value}]", "[e-mail added: {value}]", "emails", instead=True),
            removal("[больше не указан e-mail {value}]", "[e-mail no longer given: {value}]", "emails", instead=True),
            addition("[добавлен сайт {value}]", "[site added: {value}]", "websites", instead=True),
            removal("[больше не указан сайт {value}]", "[site no longer given: {value}]", "websites", instead=True),
            addition("[страница {url}]", "[page {url}]", "social_profiles", instead=True),
        ),
        other=DETAILS,
    ),
    News(
        "codes",
        (
            "ogrn",
            "kpp",
            "registration_date",
            "birth_date",
            "okpo",
            "oktmo",
            "okato",
            "okopf",
            "okogu",
            "okfs",
            "pfr_number",
            "fss_number",
        ),
        always=Words("Изменились регистрационные данные", "The registration data changed"),
        lines=(
            cell_change("[ОГРН {ogrn.move}]", "[OGRN {ogrn.move}]"),
            cell_change("[КПП {kpp.move}]", "[KPP {kpp.move}]"),
            cell_change("[дата регистрации {registration_date.move}]", "[registered on {registration_date.move}]"),
            cell_change("[ОКПО {okpo.move}]", "[OKPO {okpo.move}]", instead=True),
            cell_change("[ОКТМО {oktmo.move}]", "[OKTMO {oktmo.move}]", instead=True),
            cell_change("[ОКОПФ {okopf.move}]", "[OKOPF {okopf.move}]", instead=True),
            cell_change("[рег. № СФР {pfr_number.move}]", "[pension-fund No. {pfr_number.move}]", instead=True),
        ),
        other=DETAILS,
    ),
    News(
        "ip_records",
        ("ip_records",),
        always=Words("Регистрация ИП[, ОГРНИП {ogrnip}]", "Registration as sole proprietor[, OGRNIP {ogrnip}]"),
        heads=(
            addition(
                "Новая регистрация ИП[, ОГРНИП {ogrnip}][ от {registration_date}]",
                "New registration as sole proprietor[, OGRNIP {ogrnip}][ of {registration_date}]",
                active="true",
            ),
            addition(
                "В ЕГРИП есть запись о прекращённой регистрации ИП[, ОГРНИП {ogrnip}][, прекращена {termination_date}]",
                "The register shows an ended registration as sole proprietor[, OGRNIP {ogrnip}]"
                "[, ended on {termination_date}]",
                active="false",
            ),
            addition(
                "Регистрация ИП[, ОГРНИП {ogrnip}][ от {registration_date}]",
                "Registration as sole proprietor[, OGRNIP {ogrnip}][ of {registration_date}]",
            ),
            removal(
                "Источник больше не приводит регистрацию ИП[, ОГРНИП {ogrnip}]",
                "The source no longer gives the registration as sole proprietor[, OGRNIP {ogrnip}]",
            ),
            cell_change(
                "Деятельность ИП прекращена[ {termination_date}][, ОГРНИП {ogrnip}][, {termination_kind}]",
                "The sole proprietor ended the activity[ on {termination_date}][, OGRNIP {ogrnip}]"
                "[, {termination_kind}]",
                "ip_records",
                active="false",
            ),
        ),
        lines=(
            cell_change(
                "[дата прекращения: {termination_date.move}]",
                "[ended on {termination_date.move}]",
                "ip_records",
                active="",
            ),
            cell_change("[статус: {status.move}]", "[status: {status.move}]", "ip_records", active=""),
            cell_change("[имя: {name.move}]", "[name: {name.move}]", "ip_records"),
        ),
        by=BY_ROW,
        other=DETAILS,
    ),
    News(
        "licences",
        ("licenses",),
        always=Words("Изменились лицензии в карточке", "The licences on the card changed"),
        lines=(
            addition(
                "[лицензия № {number}][ от {date}][, {activity}]",
                "[licence No. {number}][ of {date}][, {activity}]",
                "licenses",
            ),
            removal("[больше не указана лицензия № {number}]", "[licence No. {number} is no longer given]", "licenses"),
            cell_change("[№ {number}: {activity.move}]", "[No. {number}: {activity.move}]", "licenses", activity="*"),
        ),
        other=DETAILS,
    ),
    News(
        "membership",
        ("sro",),
        always=Words("Изменилось членство в СРО", "The memberships in self-regulatory organisations changed"),
        lines=(
            addition("[вступление в {name}][ {date}]", "[joined {name}][ on {date}]", "sro"),
            removal("[больше не указано: {name}]", "[no longer given: {name}]", "sro"),
        ),
        other=DETAILS,
    ),
    News(
        "mentions",
        ("leaves",),
        always=Words(
            "Изменились публикации ЕФРСБ и упоминания в СМИ в карточке",
            "Publications and media mentions on the card changed",
        ),
        lines=(
            addition("[{value}]", "[{value}]", "leaves", type="string"),
            cell_change("[{value.move}]", "[{value.move}]", "leaves", instead=True),
        ),
    ),
    News(
        "connections_graph",
        ("connections_graph",),
        always=Words("Изменилась схема связей в карточке", "The graph of connections on the card changed"),
    ),
)
