"""`python -m tests.house.generate` writes the golden DDL anew."""

from tests.house.test_generated import GOLDEN
from warehouse.ddl import statements
from warehouse.mart_files import mart_statements

if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    (GOLDEN / "ddl.sql").write_text(";\n".join([*statements(), *mart_statements()]) + ";\n", "utf-8")
