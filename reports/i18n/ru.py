"""The page in Russian. Names of tables, columns and methods stay as they are."""

from collections.abc import Mapping, Sequence

COUNTED: Mapping[str, Sequence[str]] = {
    "member": ("контрагент", "контрагента", "контрагентов"),
    "of_member": ("контрагента", "контрагентов", "контрагентов"),
    "company": ("компания", "компании", "компаний"),
    "person": ("предприниматель", "предпринимателя", "предпринимателей"),
    "change": ("изменение", "изменения", "изменений"),
    "case": ("дело", "дела", "дел"),
    "proceeding": ("производство", "производства", "производств"),
    "answer": ("сведение", "сведения", "сведений"),
    "day": ("день", "дня", "дней"),
    "in_group": ("группе", "группах", "группах"),
    "joined_member": ("контрагента", "контрагентов", "контрагентов"),
    "pair": ("пара", "пары", "пар"),
    "group": ("группа", "группы", "групп"),
    "reason": ("признак", "признака", "признаков"),
}

TEXTS: Mapping[str, str] = {
    "title": "Контрагенты: {portfolio}",
    "kicker": "Отчёт о проверке контрагентов",
    "not_known": "неизвестно",
    "not_confirmed": "не подтверждено",
    "never_asked": "не запрашивалось",
    "thousand": "тыс.",
    "million": "млн",
    "billion": "млрд",
    "trillion": "трлн",
    "more": "и ещё {rest}",
    "whole_list": "полный список даёт запрос",
    # Header
    "run": "Прогон",
    "run_was": "{at}, профиль {profile}",
    "no_run": "этот портфель ещё ни разу не проверялся",
    "made": "Отчёт составлен {at} ({zone})",
    "exit.0": "выполнен полностью",
    "exit.1": "прерван сбоем программы",
    "exit.2": "не начат: ошибка в настройках",
    "exit.3": "бюджет кончился раньше плана",
    "exit.4": "сервис отказал в ключе или средствах",
    "exit.5": "не начат: хранилища были заняты",
    "exit.6": "на часть вызовов нет годного ответа",
    "exit.130": "прерван пользователем",
    "exit.None": "не завершён",
    "figure.members": "В портфеле",
    "figure.members.note": "{companies}, {people}",
    "figure.grave": "Высокий и критический риск",
    "figure.grave.note": "уровень не определён у {unknown}",
    "figure.grave.all": "уровень определён у всех",
    "figure.alerts": "Тревожных изменений",
    "figure.alerts.note": "всего {changes}",
    "figure.alerts.first": "первая проверка: сравнивать не с чем",
    "figure.confirmed": "Подтверждено",
    "figure.confirmed.note": (
        "{confirmed} из {askable} сведений; не подтверждено {unconfirmed}, не запрашивалось {never}"
    ),
    "figure.money": "Потрачено за прогон",
    "figure.money.note": "из бюджета {budget}; ещё неясно {unknown}; за всё время {total}",
    "figure.money.none": "Потрачено за всё время",
    # Changes
    "changes": "Что изменилось",
    "changes.since": "С предыдущей проверки ({since}): {changes} у {members}.",
    "changes.since_day": "С {since}: {changes} у {members}.",
    "changes.first": "Это первая проверка портфеля: сравнивать пока не с чем. Изменения появятся после следующей.",
    "changes.none": (
        "С {since} изменений не найдено. Молчание источника изменением не считается: смотрите, что не подтверждено."
    ),
    "changes.unasked": "Портфель ещё не проверялся, и что изменилось, неизвестно.",
    "changes.alert": "Тревожное",
    "changes.notice": "Заметное",
    "changes.info.told": "Прочих изменений: {count}. По разделам:",
    "changes.more_lines": "и ещё {rest} у этого контрагента",
    "changes.added": "появилось",
    "changes.removed": "исчезло",
    "changes.until": "до {at} было как прежде",
    "changes.empty": "пусто",
    "changes.true": "да",
    "changes.false": "нет",
    # Risk
    "risk": "Уровни риска",
    "risk.note": (
        "Уровень складывается из весов признаков риска, которые есть. «Не определён» значит, что подтверждено "
        "слишком мало, чтобы судить: это не «низкий». Правила и веса: mart.risk_rules."
    ),
    "risk.count": "контрагентов",
    "level.critical": "критический",
    "level.high": "высокий",
    "level.medium": "средний",
    "level.low": "низкий",
    "level.unknown": "не определён",
    "worst": "У кого хуже всего и почему",
    "worst.none": "Признаков риска не найдено ни у кого. Что при этом не подтверждено, показано ниже.",
    "worst.note": (
        "Баллы: сумма весов найденных признаков. «До …» значит, сколько было бы, если бы всё неподтверждённое "
        "оказалось плохим."
    ),
    "worst.more": "Показаны первые {shown}, с признаками риска {all}.",
    "worst.who": "Контрагент",
    "worst.level": "Уровень",
    "worst.score": "Баллы",
    "worst.most": "до {score}",
    "worst.confirmed": "Подтверждено",
    "worst.reasons": "Почему",
    "worst.unsure": "последний ответ этого не подтверждает",
    "nameless": "название неизвестно",
    # Coverage
    "coverage": "Чего мы не знаем",
    "coverage.note": (
        "Доля контрагентов, которых можно спросить, по последнему ответу на каждый раздел. Сверху то, что "
        "известно хуже всего."
    ),
    "coverage.table": "Где пробелы",
    "coverage.none": "Подтверждено всё, что можно спросить.",
    "coverage.unasked": "Портфель пуст: спрашивать не о ком.",
    "coverage.why": "Почему не подтверждено:",
    "coverage.block": "Раздел",
    "coverage.share": "доля контрагентов",
    "group.found": "есть сведения",
    "group.clean": "проверено, ничего нет",
    "group.partial": "сведения неполны",
    "group.silent": "не подтверждено",
    "group.never": "не запрашивалось",
    "state.unconfirmed": "источник молчал",
    "state.unavailable": "сервис не смог спросить",
    "state.missing": "раздела не было в ответе",
    "state.failed": "нет годного ответа",
    # Freshness
    "freshness": "Насколько свежи сведения",
    "freshness.note": (
        "Сколько дней прошло с последнего подтверждения, по всем контрагентам и разделам. Старшее из известного: "
        "{oldest}."
    ),
    "freshness.nothing": "Подтверждённых сведений ещё нет.",
    "freshness.count": "сведений",
    "age.0": "до суток",
    "age.1": "1–7 дней",
    "age.7": "7–30 дней",
    "age.30": "30–90 дней",
    "age.90": "старше 90 дней",
    "age.silent": "не подтвер- ждено",
    "age.never": "не запра- шивалось",
    "days.few": "меньше суток",
    # Money
    "money": "На что ушли деньги",
    "money.note": (
        "За всё время, по методам сервиса. Неясное (ответ не пришёл, но списать могли) считается потраченным."
    ),
    "money.none": "Денег на этот портфель ещё не тратили.",
    "money.charged": "списано",
    "money.unknown": "неясно",
    "money.runs": "Последние прогоны",
    "money.run_at": "Когда",
    "money.outcome": "Исход",
    "money.calls": "вызовы",
    "money.axis": "рублей",
    "money.others": "прочие ({methods})",
    # Courts
    "courts": "Суды",
    "courts.note": "Дела по годам подачи и роли контрагента: арбитраж и суды общей юрисдикции.",
    "courts.none": "Ни одного дела не известно.",
    "courts.undated": "Без даты: {count}.",
    "courts.undated_only": "Известны только без даты: {count}.",
    "courts.earlier": "Раньше {year} года: {count}.",
    "role.respondent": "ответчик",
    "role.plaintiff": "истец",
    "role.other": "иная или не указана",
    "enforcement": "Исполнительные производства",
    "enforcement.note": "Производства у приставов по году возбуждения.",
    "enforcement.none": "Ни одного производства не известно.",
    "silence.some": "{block}: не подтверждено у {silent} из {askable}, не запрашивалось у {never}.",
    "silence.none": "{block}: ответ есть по каждому из {askable}.",
    "active.open": "идёт",
    "active.ended": "окончено",
    "active.unknown": "неизвестно",
    "bars.silent": "Пустое место на графике не значит «ничего не было».",
    # Revenue and debt
    "debt": "Выручка и долг",
    "debt.note": (
        "Каждая точка — контрагент, у которого известны и выручка, и долг у приставов. Обе шкалы логарифмические; "
        "выше пунктира долг больше годовой выручки."
    ),
    "debt.crowd": (
        "Контрагентов много, поэтому точками показаны {shown} с наибольшей долей долга, остальные — клетками: чем "
        "темнее, тем их больше."
    ),
    "debt.none": "Нет ни одного контрагента, у которого известны и выручка, и ненулевой долг.",
    "debt.words": (
        "Долга нет по последним известным сведениям: {no_debt}. Выручка равна нулю: {no_revenue}. Долг "
        "неизвестен: {debt_unknown}. "
        "Выручка неизвестна: {revenue_unknown}. Неизвестно не значит ноль: на графике их нет."
    ),
    "debt.table": "Самый тяжёлый долг относительно выручки",
    "debt.revenue": "Выручка",
    "debt.debt": "Долг у приставов",
    "debt.ratio": "Долг к выручке",
    "debt.axis_x": "выручка за год, ₽",
    "debt.axis_y": "долг у приставов, ₽",
    # Links
    "links": "Связи внутри портфеля",
    "links.note": (
        "Контрагенты портфеля, которых соединяет общий руководитель, учредитель, адрес, телефон или участие друг "
        "в друге."
    ),
    "links.none": (
        "Связей между контрагентами портфеля не найдено. Искать можно только среди известного: карточка не "
        "подтверждена у {silent}, не запрашивалась у {never}."
    ),
    "evidence.dated": " от {day}",
    "evidence.number": "№ ",
    "evidence.case": "дело ",
    "evidence.registered": "регистрация {day}",
    "evidence.until": "до {day}",
    "evidence.headcount": "численность ",
    "evidence.against": " против ",
    "evidence.of": " из ",
    "evidence.closed": ", закрыто: ",
    "evidence.linked companies": "связанных компаний",
    "evidence.matches of low confidence": "совпадений низкой уверенности",
    "evidence.excluded entries": "исключённых записей",
    "evidence.with violations": "с нарушениями",
    "evidence.cases lost": "проиграно дел",
    "evidence.cases": "дел",
    "evidence.proceedings": "производств",
    "evidence.decisions": "решений",
    "evidence.notices": "уведомлений",
    "evidence.contracts": "договоров",
    "evidence.matches": "совпадений",
    "code.active": "действует",
    "code.liquidating": "ликвидируется",
    "code.liquidated": "ликвидирована",
    "code.reorganizing": "реорганизуется",
    "code.bankruptcy": "банкротство",
    "code.observation": "наблюдение",
    "code.financial_recovery": "финансовое оздоровление",
    "code.external_management": "внешнее управление",
    "code.proceedings": "конкурсное производство",
    "code.completed": "завершено",
    "code.settlement": "мировое соглашение",
    "code.terminated": "прекращено",
    "code.citizen_restructuring": "реструктуризация долгов гражданина",
    "code.citizen_property_sale": "реализация имущества гражданина",
    "code.no_assets": "нет имущества",
    "evidence.before": ", годом раньше: ",
    "links.told": "{pairs} в {groups}; самая большая объединяет {largest}.",
    "links.told_one": "{pairs}: одна группа из {largest}.",
    "links.who": "Кто",
    "links.what": "Что общего",
    "links.namesake": "совпало только имя, возможен однофамилец",
    "links.picture": (
        "Самые большие группы, слева направо и сверху вниз, как в таблице. Круг — контрагент, его номер — из "
        "таблицы, цвет — уровень риска."
    ),
    "kind.director": "руководитель",
    "kind.founder": "учредитель",
    "kind.beneficiary": "бенефициар",
    "kind.linked company": "связанная компания",
    "kind.founded company": "учреждённая компания",
    "kind.address": "адрес",
    "kind.phone": "телефон",
    "kind.email": "почта",
    # Reading
    "reading": "Как читать",
    "reading.known": (
        "Подтверждённое «ничего нет» и «не подтверждено» — разные вещи. Если источник не ответил, отчёт не пишет ноль."
    ),
    "reading.never": "«Не запрашивалось» значит, что об этом сервис ещё не спрашивали.",
    "queries": "Запросы",
    "queries.note": (
        "Каждое число отчёта — результат одного из этих запросов к хранилищу; номер в скобках у числа или "
        "заголовка — номер запроса. Запустить любой: {command}"
    ),
}
