"""Every word that a page shows, in Russian and English. Names of fields and tables are not words: they stay."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, get_args

Language = Literal["ru", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        # The frame
        "portfolio": ("Портфель", "Portfolio"),
        "company": ("Компания", "Company"),
        "changes": ("Изменения", "Changes"),
        "coverage": ("Что мы не знаем", "What we do not know"),
        "spend": ("Расходы", "Spend"),
        "sql": ("SQL", "SQL"),
        "filters": ("Отбор", "Filter"),
        "portfolios": ("Портфели", "Portfolios"),
        "tags": ("Метки", "Tags"),
        "own_columns": ("Свои столбцы", "Own columns"),
        "all": ("все", "all"),
        "contains": ("содержит…", "contains…"),
        "refresh": ("Обновить", "Refresh"),
        "language": ("Язык", "Language"),
        "as_of": ("Копия данных от {at}.", "Copy of the data of {at}."),
        "last_run": ("Последний прогон: {run}", "Latest run: {run}"),
        "no_run": ("Прогонов ещё не было", "No run yet"),
        "chosen": ("Отобрано ИНН: {count} из {of}", "INNs chosen: {count} of {of}"),
        "none_chosen": (
            "Под отбор не подходит ни один ИНН; ослабьте его слева.",
            "No INN passes the filter; loosen it at the left.",
        ),
        "utc": ("Время везде UTC.", "All times are UTC."),
        "query": ("Запрос SQL", "The SQL query"),
        "download": ("Скачать CSV", "Download CSV"),
        "first_rows": (
            "Показаны первые {shown} строк из {of}; остальные: сузьте отбор или `innspect sql`.",
            "The first {shown} rows of {of}; for the others narrow the filter or use `innspect sql`.",
        ),
        "pick_row": ("Отметьте строку слева, чтобы открыть компанию.", "Tick a row at its left to open the company."),
        # Levels of risk
        "critical": ("критический", "critical"),
        "high": ("высокий", "high"),
        "medium": ("средний", "medium"),
        "low": ("низкий", "low"),
        "unknown": ("не определён", "unknown"),
        # States of a signal
        "present": ("есть", "present"),
        "absent": ("нет", "absent"),
        "not confirmed": ("не подтверждено", "not confirmed"),
        "never asked": ("не запрашивалось", "never asked"),
        "silent_since": ("последний ответ этого не подтвердил", "the latest answer did not confirm it"),
        "not_given": ("в ответе нет", "not in the answer"),
        # States of an answer
        "found": ("найдено", "found"),
        "clean": ("чисто", "clean"),
        "partial": ("неполно", "partial"),
        "unconfirmed": ("источник молчит", "unconfirmed"),
        "unavailable": ("недоступно", "unavailable"),
        "missing": ("не пришло", "missing"),
        "failed": ("сбой", "failed"),
        # Severities
        "alert": ("тревога", "alert"),
        "notice": ("внимание", "notice"),
        "info": ("сведения", "info"),
        # Portfolio
        "inns": ("ИНН", "INNs"),
        "inn": ("ИНН", "INN"),
        "name": ("Название", "Name"),
        "no_name": ("название неизвестно", "name not known"),
        "risk": ("Риск", "Risk"),
        "score": ("Баллы", "Score"),
        "score_most": ("Баллы, если неизвестное плохо", "Score if the unknown is bad"),
        "score_up_to": ("Баллов до", "Score up to"),
        "confirmed_share": ("Подтверждено", "Confirmed"),
        "reasons": ("Почему", "Why"),
        "not_confirmed": ("Не подтв.", "Not conf."),
        "never_asked": ("Не запр.", "Not asked"),
        "status": ("Статус", "Status"),
        "checked_at": ("Проверено", "Checked"),
        "worst": ("Риск высокий и выше", "Risk high or above"),
        "unknown_level": ("Риск не определён", "Risk unknown"),
        "alerts_lately": ("Тревог за 30 дней", "Alerts in 30 days"),
        "blocks_confirmed": ("Подтверждено", "Confirmed"),
        "blocks_help": (
            "Доля пар «ИНН и блок», на которые последний ответ дал найдено, чисто или неполно.",
            "Share of INN and block pairs whose latest answer was found, clean or partial.",
        ),
        "by_level": ("Компании по уровню риска", "Companies by level of risk"),
        "slice": ("Разрез", "Slice by"),
        "search": ("Поиск по ИНН или названию", "Search by INN or name"),
        "levels": ("Уровень риска", "Level of risk"),
        # Company
        "open_company": ("ИНН или часть названия", "INN or part of a name"),
        "candidates": ("Подходят", "They match"),
        "no_candidates": (
            "Ни ИНН, ни названия с «{text}» в копии нет.",
            "There is neither an INN nor a name with '{text}' in the copy.",
        ),
        "riskiest": ("С наибольшим риском", "With the greatest risk"),
        "card": ("Карточка", "Card"),
        "signals": ("Сигналы", "Signals"),
        "signal": ("Сигнал", "Signal"),
        "state": ("Состояние", "State"),
        "since": ("С", "Since"),
        "evidence": ("Основание", "Evidence"),
        "block": ("Блок", "Block"),
        "absent_signals": ("Нет, и это подтверждено", "Absent, and confirmed so"),
        "timeline": ("История", "Timeline"),
        "answers": ("Ответы и версии по блокам", "Answers and versions by block"),
        "new_version": ("новая версия", "new version"),
        "same": ("без изменений", "unchanged"),
        "no_evidence": ("не свидетельство", "no evidence"),
        "no_changes": ("Изменений нет.", "There are no changes."),
        "known": ("Что известно", "What is known"),
        "latest_answer": ("Последний ответ", "Latest answer"),
        "reason": ("Причина", "Reason"),
        "asked_at": ("Запрошено", "Asked"),
        "age_days": ("Возраст, дней", "Age, days"),
        "proof": ("До ответа", "Down to the answer"),
        "answer": ("Ответ", "Answer"),
        "no_answers": ("Ответов нет: этот ИНН не запрашивали.", "No answers: this INN was never asked."),
        "bytes_ok": (
            "Байты ответа прочитаны из архива; их SHA-256 совпадает с записанным.",
            "The answer's bytes were read from the archive; their SHA-256 is the one that was recorded.",
        ),
        "bytes_bad": (
            "SHA-256 байтов в архиве не тот, что записан: восстановите {file} из копии.",
            "The bytes in the archive do not have the recorded SHA-256: restore {file} from a copy.",
        ),
        "bytes_away": (
            "Файла архива {file} рядом нет; байты покажет `raw.responses` там, где архив лежит.",
            "The archive file {file} is not here; `raw.responses` shows the bytes where the archive lies.",
        ),
        "bytes_private": (
            "Байты здесь не показаны: настройка publish.exclude убирает из копии часть данных, а в ответе они есть.",
            "The bytes are not shown: publish.exclude keeps some data out of the copy, and the answer has them.",
        ),
        "bytes_long": (
            "Ответ длинный: ниже первые {shown} из {of} байт, целиком он в файле.",
            "A long answer: below are the first {shown} of {of} bytes, the file has all.",
        ),
        "download_body": ("Скачать ответ байт в байт", "Download the answer, byte for byte"),
        # Changes
        "severity": ("Важность", "Severity"),
        "days": ("За сколько дней", "How many days back"),
        "blocks": ("Блоки", "Blocks"),
        "seen_at": ("Замечено", "Seen"),
        "meaning": ("Что это значит", "What it means"),
        "where": ("Где", "Where"),
        "old_value": ("Было", "Before"),
        "new_value": ("Стало", "Now"),
        "known_until": ("Прежнее верно до", "As before until"),
        "changed_companies": ("Компаний с изменениями", "Companies with changes"),
        "nothing_changed": (
            "За это время перепроверки ничего не изменили.",
            "No re-check changed anything in this time.",
        ),
        # Coverage
        "coverage_words": (
            "«Найдено» и «чисто» подтверждены ответом. «Не подтверждено» и «не запрашивалось» ничего не доказывают.",
            "'Found' and 'clean' are confirmed by an answer. 'Not confirmed' and 'never asked' prove nothing.",
        ),
        "share_known": ("Последний ответ подтверждает", "Confirmed by the latest answer"),
        "share_silent": ("Не подтверждено", "Not confirmed"),
        "share_never": ("Не запрашивалось", "Never asked"),
        "pairs": ("пар «ИНН и блок»", "INN and block pairs"),
        "by_block": ("Последний ответ по блокам", "The latest answer, by block"),
        "freshness": ("Возраст того, что известно", "Age of what is known"),
        "silent_list": ("Чего не знаем: ИНН и блоки", "What we do not know: INNs and blocks"),
        "states": ("Состояния", "States"),
        "all_known": ("Неизвестного под этим отбором нет.", "Nothing is unknown within this filter."),
        # Spend
        "charged": ("Списано", "Charged"),
        "unknown_rub": ("Исход неизвестен", "Outcome unknown"),
        "calls": ("Вызовов", "Calls"),
        "runs": ("Прогоны", "Runs"),
        "by_method": ("По методам", "By method"),
        "spend_by_block": ("По блокам", "By block"),
        "answers_count": ("Ответов", "Answers"),
        "new_versions": ("Новых версий", "New versions"),
        "rub_per_change": ("₽ за изменение", "RUB per change"),
        "spend_filter": (
            "Деньги отбираются только по портфелю: прогон платит за весь портфель.",
            "Money follows the filter by portfolio only: a run pays for a whole portfolio.",
        ),
        "no_spend": ("Под этим отбором не потрачено ничего.", "Nothing was spent within this filter."),
        "rub": ("₽", "RUB"),
        # SQL
        "sql_label": ("Один SELECT над опубликованной копией", "One SELECT over the published copy"),
        "run_query": ("Выполнить", "Run"),
        "rows": ("Строк: {count}", "Rows: {count}"),
        "limited": (
            "Показаны первые {count} строк; в файле до {most}.",
            "The first {count} rows are shown; the file has up to {most}.",
        ),
        "csv_words": (
            "Текст, который таблица приняла бы за формулу, в файле начинается с апострофа.",
            "Text that a spreadsheet would take for a formula begins with an apostrophe in the file.",
        ),
        "dictionary": ("Таблицы и столбцы", "Tables and columns"),
        "table": ("Таблица", "Table"),
        "sql_words": (
            "Только чтение; других файлов запрос не видит и через {seconds} с прерывается.",
            "Read-only; a query sees no other file and is ended after {seconds} s.",
        ),
    }
)


class Words:
    """The words of one language."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._place = LANGUAGES.index(language)

    def __call__(self, name: str, **values: object) -> str:
        """The words of this name, with the values put in. Raises KeyError for a name that there is not."""
        return WORDS[name][self._place].format(**values)

    def number(self, value: float | Decimal | None, digits: int = 0) -> str:
        """A number with thin groups; a dash, never a zero, for what is not known."""
        return "—" if value is None else f"{value:,.{digits}f}".replace(",", "\u00a0").replace(".", self._point)

    @property
    def _point(self) -> str:
        return "," if self.language == "ru" else "."
