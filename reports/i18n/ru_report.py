"""Russian texts of the report: the table of members, and checks that got no answer."""

from collections.abc import Mapping

REPORT: Mapping[str, str] = {
    "alerts.unknown": "никто не перепроверен: есть ли изменения, неизвестно",
    "changes.unknown": "С {since} не получено ни одного ответа. Есть ли изменения, неизвестно.",
    "links.former": "Прежняя связь, которую последние ответы не подтверждают: {pairs}. Групп они не образуют.",
    "method.full-check": "Полная проверка",
    "method.account": "Состояние счёта",
    "method.ping": "Проверка связи",
    "profile.full": "полный",
    "profile.monitor": "наблюдение",
    "profile.light": "краткий",
    "spend.persons": "{block}, ИП",
    "movements.silent": (
        "Запрошены, но свежих сведений не дал ни один источник: {count}. Изменился ли их уровень, неизвестно."
    ),
    "movements.part_silent": "Свежий ответ есть не по всем разделам: {count}.",
    "members_table": "Все контрагенты портфеля",
    "members_table.note": (
        "По одной строке на контрагента; сверху те, кто требует внимания. «Не определён» и «не перепроверяли» не "
        "значит, что всё спокойно."
    ),
    "members_table.scripts": "Таблицу можно отсортировать (нажмите на заголовок столбца) и просматривать поиском.",
    "members_table.cut": "В таблице первые {shown} из {all}, иначе страница стала бы слишком большой",
    "members_table.more_columns": "Столбцы файла, для которых нет места: {columns}.",
    "members_table.search": "Поиск по всем столбцам",
    "members_table.found": "Показано {shown}, подходит {found}, всего {all}",
    "members_table.more": "Показать ещё",
    "members_table.own_name": "в файле",
    "members_table.what_unknown": "Что неизвестно",
    "members_table.reasons": "Признаки риска",
    "members_table.change": "С прошлой проверки",
    "members_table.change_since": "С {since}",
    "members_table.unknown": "неизвестно: {count}",
    "members_table.never_requested": "никогда не запрашивалось: {count}",
    "members_table.never": "ещё не проверяли",
    "members_table.no_reasons": "не найдены",
    "members_table.no_reasons_known": "не найдены, но известно не всё",
    "members_table.moved": "{before} → {level}, {date}",
    "members_table.assessed_first": "оценён впервые",
    "members_table.first_check": "первая проверка",
    "members_table.not_requested": "не перепроверяли",
    "members_table.unanswered": "запрошен, ответа нет",
    "members_table.silent": "перепроверка не дала свежих сведений",
    "members_table.part_silent": "разделов без свежего ответа: {silent} из {asked}",
    "members_table.alerts": "тревожных: {alerts}",
    "members_table.none": "без изменений",
    "contents": "На этой странице",
}
