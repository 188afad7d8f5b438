"""Russian texts of the commands `changes` and `company`."""

from collections.abc import Mapping

COMMAND: Mapping[str, str] = {
    "command.not_given": "не указано",
    "command.until": "прежнее значение последний раз подтверждено {date}",
    "command.unknown": "не известно: {blocks}",
    "command.score": "баллы {score}",
    "command.run": "(проверка {run})",
    "command.more": "… и ещё {rest}; весь список даёт --json.",
    "command.levels.none": "Уровни: за это время никого не перепроверяли; изменились ли уровни, неизвестно.",
    "command.levels": (
        "Проверено: {members}. Стало хуже у {worse}, лучше у {better}; перестал быть известен уровень у {unknown}, "
        "снова известен у {known}; уровень прежний, изменились баллы у {same}; "
        "оценено один раз, сравнить не с чем: {first}."
    ),
    "command.movement.worse": "СТАЛО ХУЖЕ",
    "command.movement.better": "СТАЛО ЛУЧШЕ",
    "command.movement.unknown": "УРОВЕНЬ БОЛЬШЕ НЕ ИЗВЕСТЕН",
    "command.movement.known": "УРОВЕНЬ СНОВА ИЗВЕСТЕН",
    "command.changes.none": "Изменений с {since}{scope} нет.",
    "command.changes": "Изменения с {since}{scope}: {changes}; контрагентов: {members}.",
    "command.scope": " в портфеле {portfolio}",
    "command.portfolios": "Портфели: {names}",
    "command.portfolios.none": "Портфели: нет",
    "command.own": "В вашем файле: {own}",
    "command.never_checked": "Не проверялся; проверьте его командой `innspect run` вместе с портфелем.",
    "command.risk": "Риск: {level}.",
    "command.score.most": "Баллы: {score}; не больше {most} ({level}), если всё неизвестное окажется плохим.",
    "command.card": "карточка",
    "command.card.unknown": "Карточка неизвестна (раздел company: {state}).",
    "command.card.no_portfolio": "нет ни в одном портфеле",
    "command.figures": "показатели",
    "command.none": "нет",
    "command.not_known": "Не известно: {names}",
    "command.column.signal": "признак",
    "command.column.severity": "важность",
    "command.column.since": "с",
    "command.column.evidence": "основание",
    "command.column.certainty": "подтверждение",
    "command.signals.none": "Признаков риска не найдено",
    "command.signals": "Признаки, состояние «{state}»: {titles}",
    "command.history.none": "История уровня: пока нет",
    "command.recent": "Изменения за {days}: {changes}",
    "command.recent.first": "сравнивать пока не с чем",
    "command.recent.unknown": ("неизвестно, ни по одному разделу нет свежего ответа, который можно сравнить с прежним"),
    "command.recent.part": (
        "нет по разделам, которые можно сравнить ({compared} из {blocks}); по остальным неизвестно"
    ),
    "command.column.block": "раздел",
    "command.column.state": "последний ответ",
    "command.column.reason": "причина",
    "command.column.asked_at": "запрошено",
    "command.column.checked_at": "подтверждено",
    "command.column.collected_at": "собрано",
    "command.column.age_days": "возраст, дней",
    "command.not_offered": "Не предоставляется, у сервиса нет метода для физических лиц: {blocks}",
    "card.okved_main": "Код ОКВЭД",
    "card.headcount_date": "Численность на дату",
    "card.revenue_period": "Выручка за период до",
    "card.statements_year": "Год отчётности",
}
