"""`python -m tests.project_rules.generate` writes the goldens anew."""

from tests.project_rules.goldens import GOLDEN, GOLDENS

if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, make in GOLDENS.items():
        (GOLDEN / name).write_text(make(), "utf-8")
