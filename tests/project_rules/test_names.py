"""Names follow docs/glossary.md: functions are verbs or nouns of their value, and one term has one word.

Failures list the offences by package.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project_rules.sources import list_offences, parse_module, product_modules


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


IRREGULAR_PARTICIPLES = word_set(
    """
    begun born borne bought bound broken brought built caught chosen come done drawn driven dropt eaten fallen
    felt forgiven forgotten found given gone grown held hidden hung kept known laid led left lent lost made
    meant met overtaken paid rebuilt redone redrawn remade resent rewritten said seen sent shown sold sought
    spent spoken stolen stood struck sworn taken taught thought thrown told torn understood undone unknown
    unmade unread unseen unsent woken won worn wound written
    """
)
NOT_PARTICIPLES = word_set(
    """
    bed embed exceed feed hundred need proceed red seed shed speed succeed
    """
)
"""Words that end with -ed and are no participles."""
PARTICLES = word_set(
    """
    again anew apart aside away back by down for from in off on out over to under up with
    """
)
PREDICATES = frozenset(("is", "has", "can", "was", "are"))
VERBS = word_set(
    """
    add cancel check count delete drop ensure fill find format get hold ignore list load mark mask merge open
    pause read record refuse reject release remove require retry run select set settle skip split store
    transform write
    """
)
"""Verbs whose object may be a participle: `mark_sent`, `retry_unconfirmed`."""
DENIED_WORDS = word_set(
    """
    alone anew apart aside beside came glance glances lane lanes meets mend ours said strangers thing things
    told whoever whole
    """
)
"""Words that no name of the product contains: the glossary has a term for what they meant."""
OWN_WORDS = ("schemas/blocks/", "sandbox/payloads/")
"""Modules whose names are those of the service."""
ALLOWED = {
    "reports/portfolio_report/charts.py:_whole_number_axis": "a whole number is a term",
    "sandbox/severed_connections.py:connection_made": "the name is asyncio's: Protocol.connection_made",
    "schemas/settings/sections.py:account_is_ours": "a key of the settings",
}
"""`module:name` of an offence that stays, and its reason."""


def split_name(name: str) -> list[str]:
    """The words of a name in snake case or camel case, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def is_participle(word: str) -> bool:
    """Whether the word is a past participle."""
    return word in IRREGULAR_PARTICIPLES or (len(word) > 3 and word.endswith("ed") and word not in NOT_PARTICIPLES)


def is_participle_name(name: str) -> bool:
    """Whether a function is named as a state that something is in: `published`, `carried_out`, `versions_known`."""
    words = split_name(name)
    if not words or words[0] in PREDICATES:
        return False
    ends_with_participle = is_participle(words[-1]) and words[0] not in VERBS
    return ends_with_participle or (is_participle(words[0]) and all(word in PARTICLES for word in words[1:]))


def functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of every function and method, those of Python's protocols aside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
            yield node.lineno, node.name


def defined_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of everything that a module defines: functions, classes, parameters, variables."""
    yield from functions(tree)
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case _:
                pass


def offences(module: Path) -> Iterator[str]:
    """The names of a module that break a rule."""
    tree = parse_module(module)
    for line, name in sorted(set(functions(tree))):
        if is_participle_name(name) and f"{module}:{name}" not in ALLOWED:
            yield f"{module}:{line}: {name}: a function is a verb or the noun of its value, a boolean is_, has_ or can_"
    if str(module).startswith(OWN_WORDS):
        return
    for line, name in sorted(set(defined_names(tree))):
        if (denied := DENIED_WORDS.intersection(split_name(name))) and f"{module}:{name}" not in ALLOWED:
            yield f"{module}:{line}: {name}: {', '.join(sorted(denied))}"


def test_names_follow_the_glossary():
    found = list_offences(offence for module in product_modules() for offence in offences(module))
    if found:
        pytest.fail(f"rename these by docs/glossary.md:\n{found}", pytrace=False)


def test_allowed_names_exist():
    names = {f"{module}:{name}" for module in product_modules() for _, name in defined_names(parse_module(module))}
    assert set(ALLOWED) <= names


def test_participles_are_recognised():
    refused = ("published", "_carried_out", "made", "versions_known", "_sent", "not_loaded", "shown_anew")
    accepted = (
        "publish",
        "is_published",
        "mark_sent",
        "has_changed",
        "known_rows",
        "read",
        "set_state",
        "need",
        "content_hash",
    )
    assert [name for name in refused if not is_participle_name(name)] == []
    assert [name for name in accepted if is_participle_name(name)] == []
