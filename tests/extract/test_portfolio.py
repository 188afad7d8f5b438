import io
import json
import re
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum.ru import inn as stdnum_inn

from innspect.extract.portfolio.inn import read_inns
from innspect.extract.portfolio.reader import MEMBERS, REJECTED, read_portfolio
from innspect.schemas.errors import Exit, PortfolioError

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "portfolios"
A, B, PERSON = "5070044603", "6398133165", "540171787210"


def inns(portfolio):
    return portfolio.members["inn"].to_list()


def rejects(portfolio):
    return portfolio.rejected.rows()


def typed(text):
    return read_portfolio("-", text.encode())


def test_sample_has_one_invalid_line_of_each_kind():
    sample = read_portfolio(ROOT / "configs" / "portfolios" / "sample.csv")
    assert sample.name == "sample"
    assert sample.rejected["reason"].to_list() == [
        "empty",
        "not_digits",
        "wrong_length",
        "check_digits",
        "duplicate",
        "scientific_notation",
    ]
    assert sample.restored == 2
    assert sample.members.height + sample.rejected.height == 40
    assert all(map(stdnum_inn.is_valid, inns(sample)))
    assert {len(inn) for inn in inns(sample)} == {10, 12}
    assert dict(sample.members.schema) == MEMBERS
    assert dict(sample.rejected.schema) == REJECTED


def test_windows_1251_with_semicolons_and_russian_header():
    read = read_portfolio(DATA / "windows-1251.csv")
    assert read.members.rows() == [
        (A, "Контрагент «А»", 1.5, None, '{"Регион":"Москва"}', 2),
        (B, "Контрагент Б", None, None, '{"Регион":"Тверь"}', 3),
    ]


def test_tsv_line_with_invalid_priority_is_kept():
    read = read_portfolio(DATA / "bom.tsv")
    assert read.members.select("inn", "priority", "extra").rows() == [(A, 2.0, None), (B, None, None)]


def test_text_file_has_one_inn_per_line():
    read = read_portfolio(DATA / "headerless.txt")
    assert list(zip(inns(read), read.members["line"], strict=True)) == [(A, 1), (B, 3), (PERSON, 4)]
    assert rejects(read) == [(2, "", "empty")]


def test_line_numbers_are_correct_with_multiline_cells():
    read = read_portfolio(DATA / "multiline.csv")
    assert read.members.select("inn", "name", "line").rows() == [
        (A, 'Контрагент, "А"\nдва', 2),
        (B, "Контрагент В", 7),
    ]
    assert rejects(read) == [(6, "wrong", "not_digits")]


def test_unclosed_quote_loses_no_line():
    assert inns(read_portfolio(DATA / "stray-quote.csv")) == [A, B, PERSON]


def test_quote_closed_many_lines_later_loses_no_line():
    lines = [f"{B},x" for _ in range(80)]
    read = typed(f'inn,name\n{A},"open\n' + "\n".join(lines) + f'\n{PERSON},"closed"\n')
    assert set(inns(read)) == {A, B, PERSON}


def test_json_array_of_objects_and_bare_values():
    read = read_portfolio(DATA / "objects.json")
    assert list(zip(inns(read), read.members["line"], strict=True)) == [(A, 1), (B, 2), (PERSON, 3), ("0246934561", 6)]
    assert read.restored == 1
    assert read.members["tags"][0] == "a,b"
    assert read.members["priority"][1] == 1.25
    assert json.loads(read.members["extra"][0]) == {"share": 0.5, "deep": {"k": [1, None]}}
    assert [(line, reason) for line, _, reason in rejects(read)] == [
        (4, "empty"),
        (5, "wrong_length"),
        (7, "scientific_notation"),
    ]


def test_other_spellings_of_inn_values_belong_to_the_inn_column():
    read = typed(json.dumps([{"ИНН": A, "name": "x"}, B, {"inn": int(PERSON), "city": "y"}], ensure_ascii=False))
    assert inns(read) == [A, B, PERSON]
    assert read.members["name"].to_list() == ["x", None, None]
    assert json.loads(read.members["extra"][2]) == {"city": "y"}
    assert rejects(read) == []


def test_invalid_ndjson_line_is_rejected():
    read = read_portfolio(DATA / "lines.ndjson")
    assert read.members.select("inn", "extra", "line").rows() == [
        (A, '{"segment": "a"}', 1),
        (PERSON, '{"segment": 2}', 4),
    ]
    assert [(line, reason) for line, _, reason in rejects(read)] == [(2, "empty"), (3, "not_json")]


def workbook():
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet()
    for row, cells in {
        2: ["ИНН", "name", "when"],
        3: [int(A), "Контрагент А", 1.5],
        5: [246934561, "Контрагент Б", True],
        6: ["7.70708E+09"],
        7: [float(B)],
    }.items():
        for column, cell in enumerate(cells, 1):
            sheet.write(row, column, cell)
    book.close()
    return file.getvalue()


def test_workbook_line_numbers_are_its_rows(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook())
    read = read_portfolio(path)
    assert list(zip(inns(read), read.members["line"], strict=True)) == [(A, 4), ("0246934561", 6), (B, 8)]
    assert rejects(read) == [(5, "", "empty"), (7, "7.70708E+09", "scientific_notation")]
    assert inns(read_portfolio("-", workbook())) == inns(read)


def test_parquet_columns_of_any_type(tmp_path):
    path = tmp_path / "members.parquet"
    pl.DataFrame(
        {
            "INN": [float(A), 246934561.0, None],
            "priority": [1, None, 3],
            "day": pl.Series(["2026-11-20", None, None]).str.to_date(),
            "bytes": [b"\xff", None, None],
            "ratio": [float("nan"), 0.25, None],
        }
    ).write_parquet(path)
    read = read_portfolio(path)
    assert inns(read) == [A, "0246934561"]
    assert read.members["priority"].to_list() == [1.0, None]
    assert json.loads(read.members["extra"][0]) == {"day": "2026-11-20", "bytes": "\ufffd", "ratio": None}
    assert rejects(read) == [(3, "", "empty")]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("7.70708E+09", "scientific_notation"),
        ("7,70708e9", "scientific_notation"),
        ("ООО", "not_digits"),
        ("-5070044603", "not_digits"),
        ("٥٠٧٠٠٤٤٦٠٣", "not_digits"),
        ("50700446", "wrong_length"),
        ("1234567890123", "wrong_length"),
        ("5070044604", "check_digits"),
        ("540171787211", "check_digits"),
        ("507004460", "wrong_length"),
        ("0000000000", "placeholder"),
        ("000000000000", "placeholder"),
        ("000000000", "placeholder"),
        ("0", "wrong_length"),
        (A, "duplicate"),
        (f" {A}.0", "duplicate"),
    ],
)
def test_rejected_lines_and_their_reasons(cell, reason):
    read = typed(f"inn;name\n{A};\n{cell};x\n")
    assert rejects(read) == [(3, cell, reason)]


@pytest.mark.parametrize(
    "cell", [f"\u00a0{A}\u202f", f"'{A}", f"«{A}»", f"{A}.00", f"{A},0", "5070 044 603", f"\t{A} "]
)
def test_spaces_quotes_and_zero_fractions_are_removed(cell):
    assert inns(typed(f"inn;name\n{cell};x\n")) == [A]


def test_column_of_inns_is_found_by_content():
    read = typed(f"ОГРН;Код;Имя\n1027700132195;{A};x\n1027700132195;{B};y\n1027700132195;нет;z\n")
    assert inns(read) == [A, B]


def test_missing_inn_column_lists_the_columns():
    with pytest.raises(PortfolioError, match=r"Код, Имя") as caught:
        typed("Код;Имя\n1;x\n2;y\n")
    assert caught.value.exit_code is Exit.USAGE


@pytest.mark.parametrize("inn", ["ИНН контрагента", "ИНН Организации", "инн_поставщика", "ИНН/КПП", "INN", "ИНН "])
@pytest.mark.parametrize("name", ["Наименование", "Название", "Контрагент", "Наименование контрагента"])
def test_russian_headers(inn, name):
    read = typed(f"№;{name};{inn};Метки;Приоритет;Регион\n1;ООО А;{A};vip;2;Тверь\n")
    assert read.members.rows() == [(A, "ООО А", 2.0, "vip", '{"№":"1","Регион":"Тверь"}', 2)]
    assert read.columns == {"inn": inn.strip(), "name": name, "priority": "Приоритет", "tags": "Метки"}
    assert read.own_columns == ("№", "Регион")


def test_inn_of_the_member_not_of_its_director():
    read = typed(f"ИНН директора;ИНН контрагента\n{PERSON};{A}\n")
    assert inns(read) == [A]
    assert read.own_columns == ("ИНН директора",)


def test_official_name_is_preferred_and_the_other_is_an_own_column():
    read = typed(f"ИНН,Контрагент,Наименование\n{A},Наши,ООО Ромашка\n")
    assert read.members["name"].to_list() == ["ООО Ромашка"]
    assert read.own_columns == ("Контрагент",)


def test_inn_with_kpp_in_one_cell():
    assert inns(typed(f"ИНН/КПП\n{A}/507001001\n{B}/6398AB001\n")) == [A, B]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_title_rows_above_the_header(delimiter):
    title = ["Список контрагентов, на 01.11.2026", "", delimiter.join(("ИНН", B, "", "")), "Отдел закупок"]
    table = [delimiter.join(row) for row in (("№", "Название", "ИНН", "Сумма"), ("1", "ООО А", A, "5"))]
    read = typed("\n".join([*title, *table]))
    assert read.members.rows() == [(A, "ООО А", None, None, '{"№":"1","Сумма":"5"}', 6)]
    assert rejects(read) == []


def test_file_without_header_that_begins_with_a_mistyped_inn_loses_no_line():
    read = typed(f"{A[:-1]}0;a\n{A};b\n{B};c\n")
    assert inns(read) == [A, B]
    assert rejects(read) == [(1, f"{A[:-1]}0", "check_digits")]


@pytest.mark.parametrize("suffix", ["txt", "csv"])
@pytest.mark.parametrize(
    "line",
    [
        f"{A} (филиал)",
        f"{A}, {PERSON}",
        f"{A} ООО Ромашка",
        f"ИНН {A}",
        f"№ {A}",
        "77068З9908",
        "5О7ОО446О3",
        "50-70-044603 ООО",
        A[:-1],
        f"{A}0",
    ],
)
def test_first_line_with_a_mistyped_inn_is_rejected_and_no_header(tmp_path, suffix, line):
    path = tmp_path / f"list.{suffix}"
    path.write_text(f"{line}\n{A}\n{B}\n")
    read = read_portfolio(path)
    assert list(zip(inns(read), read.members["line"], strict=True)) == [(A, 2), (B, 3)]
    assert [(number, value) for number, value, _ in rejects(read)] == [(1, line)]


def test_first_row_of_a_table_with_a_mistyped_inn_is_rejected_and_no_header():
    read = typed(f"ООО Ромашка;77068З9908\nООО А;{A}\nООО Б;{B}\n")
    assert inns(read) == [A, B]
    assert rejects(read) == [(1, "77068З9908", "not_digits")]


@pytest.mark.parametrize(
    "header", ["Список на 01.11.2026", "Контрагенты, 4 кв. 2025-2026", "ООО ЗОВ 12345", "Код 77068", "tax id"]
)
def test_first_line_without_a_number_as_long_as_an_inn_is_a_header(header):
    read = typed(f"{header}\n{A}\n{B}\n")
    assert (inns(read), rejects(read)) == ([A, B], [])


def test_title_row_with_an_inn_above_the_header_is_no_member():
    read = typed(f"Отчёт ООО Ромашка, ИНН {PERSON}\n77068З9908\nНазвание;ИНН\nООО А;{A}\n")
    assert (inns(read), rejects(read)) == ([A], [])


def write_workbook(path, sheets):
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return path


def test_first_sheet_with_inns_or_the_named_one(tmp_path):
    book = write_workbook(
        tmp_path / "firms.xlsx",
        {
            "Обложка": [["Отчёт за ноябрь"], [], ["Исполнитель", "Иванова"]],
            "Поставщики": [["Поставщики на 01.11.2026"], [], ["Наименование", "ИНН"], ["ООО А", A]],
            "Покупатели": [["ИНН", "Название"], [B, "ООО Б"]],
            "Пусто": [],
        },
    )
    read = read_portfolio(book)
    assert (read.sheet, read.name, read.members.select("inn", "name", "line").rows()) == (
        "Поставщики",
        "firms",
        [(A, "ООО А", 4)],
    )
    read = read_portfolio(book, sheet="Покупатели", name="customers")
    assert (read.sheet, read.name, inns(read)) == ("Покупатели", "customers", [B])
    with pytest.raises(PortfolioError, match="has no sheet Лист1, only Обложка, Поставщики, Покупатели, Пусто"):
        read_portfolio(book, sheet="Лист1")
    with pytest.raises(PortfolioError, match="is empty"):
        read_portfolio(book, sheet="Пусто")


def test_sheet_of_a_file_that_is_no_workbook(tmp_path):
    file = tmp_path / "firms.csv"
    file.write_text(f"inn\n{A}\n")
    with pytest.raises(PortfolioError, match="is not a workbook, so it has no sheet Лист1"):
        read_portfolio(file, sheet="Лист1")


def test_headerless_table():
    read = typed(f"{A},Контрагент\n{B},Другой\n5070044604,Третий\n")
    assert list(zip(inns(read), read.members["line"], strict=True)) == [(A, 1), (B, 2)]
    assert rejects(read) == [(3, "5070044604", "check_digits")]


def test_decimal_commas_are_not_taken_as_the_delimiter():
    read = typed(f"inn;priority;sum\n{A};1,5;2,5\n{B};2,5;3,5\n")
    assert read.members["priority"].to_list() == [1.5, 2.5]


def test_duplicate_column_names_are_kept():
    read = typed(f"inn,note,note,\n{A},1,2,3\n")
    assert list(json.loads(read.members["extra"][0]).values()) == ["1", "2", "3"]


def test_carriage_returns_separate_lines():
    assert inns(typed(f"inn\r{A}\r{B}\r")) == [A, B]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.csv", b""),
        ("blank.txt", b" \n\n"),
        ("none.csv", b"inn\nabc\n"),
        ("header.csv", b"inn;name\n"),
        ("book.xlsx", b"no workbook"),
        ("torn.xlsx", b"PK\x03\x04torn"),
        ("torn.parquet", b"PAR1torn"),
        ("bad.json", b"[1,"),
        ("empty.json", b"[]"),
        ("deep.json", b"[" * 100_000),
        ("bytes.csv", b"inn\n\x98\xff\n"),
        ("words.ndjson", b"x\ny\n"),
    ],
)
def test_unreadable_file_is_rejected_with_its_name(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(PortfolioError, match=name) as caught:
        read_portfolio(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("c.json", "{bad", "c.json is not JSON: neither an array nor one object per line; give CSV"),
        ("c.json", '{\n"inn": "1"\n}', "c.json is not JSON"),
        ("c.ndjson", "x\ny\n", "c.ndjson is not JSON"),
        ("c.json", "[{}, {}]", "c.json has no values; give CSV"),
        ("c.csv", "inn;name\n", "c.csv has a header and no rows below it; add lines with INNs."),
        ("c.csv", "Код;Имя\n\n", "c.csv has a header and no rows below it"),
        ("c.txt", "Список\n", "c.txt has a header and no rows below it"),
    ],
)
def test_file_without_values_is_rejected_with_what_is_wrong(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(PortfolioError, match=re.escape(words)):
        read_portfolio(path)


def test_missing_file_folder_or_empty_input_is_rejected(tmp_path):
    with pytest.raises(PortfolioError, match="absent"):
        read_portfolio("absent.csv")
    with pytest.raises(PortfolioError, match=tmp_path.name):
        read_portfolio(tmp_path)
    with pytest.raises(PortfolioError, match="standard input"):
        read_portfolio("-")


def made(body):
    company = body[:9]
    return (
        company + stdnum_inn.calc_company_check_digit(company)
        if len(body) == 9
        else body + stdnum_inn.calc_personal_check_digits(body)
    )


numbers = st.from_regex(r"\A[0-9]{8,13}\Z")
valid = st.from_regex(r"\A([0-9]{9}|[0-9]{10})\Z").map(made)


@settings(deadline=None)
@given(st.lists(numbers | valid, max_size=20))
def test_check_digits_agree_with_stdnum(values):
    read = read_inns(pl.Series(values, dtype=pl.String))
    padded = [f"0{value}" if len(value) in {9, 11} else value for value in values]
    known = [stdnum_inn.is_valid(value) and value.strip("0") != "" for value in padded]
    assert read["inn"].to_list() == [value if is_one else None for value, is_one in zip(padded, known, strict=True)]
    assert read["restored"].to_list() == [
        is_one and after != before for before, after, is_one in zip(values, padded, known, strict=True)
    ]
    assert (read["inn"].is_null() == read["reason"].is_not_null()).all()


@settings(deadline=None)
@given(st.lists(st.sampled_from([A, B, PERSON, "abc", "", "123"]), min_size=1, max_size=12))
def test_every_line_is_a_member_or_is_rejected(cells):
    text = "inn;name\n" + "".join(f"{cell};x\n" for cell in [A, *cells])
    read = typed(text)
    lines = [*read.members["line"], *read.rejected["line"]]
    assert sorted(lines) == list(range(2, len(cells) + 3))
    assert read.members["inn"].n_unique() == read.members.height


@pytest.mark.long
@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_give_a_portfolio_or_a_portfolio_error(data):
    try:
        read = read_portfolio("-", data)
    except PortfolioError:
        return
    assert all(map(stdnum_inn.is_valid, inns(read)))


@pytest.mark.long
@settings(deadline=None)
@given(st.text(alphabet='0123456789,;"\n\t xинн[{}]:', max_size=80))
def test_any_text_gives_a_portfolio_or_a_portfolio_error(text):
    try:
        read = typed(f"{A}\n{text}")
    except PortfolioError:
        return
    assert A in inns(read) or read.rejected.height
