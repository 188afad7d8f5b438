"""English texts of the report: the table of members, and checks that got no answer."""

from collections.abc import Mapping

REPORT: Mapping[str, str] = {
    "alerts.unknown": "nobody was checked again: changes are not known",
    "changes.unknown": "Since {since} no response has come. Whether anything changed is not known.",
    "links.former": "The latest responses no longer confirm a link of {pairs}; these form no group.",
    "method.full-check": "Full check",
    "method.account": "Account",
    "method.ping": "Connection test",
    "profile.full": "full",
    "profile.monitor": "monitoring",
    "profile.light": "light",
    "spend.persons": "{block}, persons",
    "movements.silent": (
        "Requested, but no source gave a fresh answer: {count}. Whether their level changed is not known."
    ),
    "movements.part_silent": "Not every block has a fresh answer: {count}.",
    "members_table": "All counterparties of the portfolio",
    "members_table.note": (
        "One row per counterparty, those that need attention first. 'Unknown' and 'not checked again' do not mean that "
        "all is well."
    ),
    "members_table.scripts": "Click on the head of a column to sort; the search looks at all columns.",
    "members_table.cut": "The table has the first {shown} of {all}, so that the page does not become too large",
    "members_table.more_columns": "Columns of the file that have no room: {columns}.",
    "members_table.search": "Search in all columns",
    "members_table.found": "Shown {shown}, found {found}, in all {all}",
    "members_table.more": "Show more",
    "members_table.own_name": "in the file",
    "members_table.what_unknown": "What is unknown",
    "members_table.reasons": "Signals of risk",
    "members_table.change": "Since the previous check",
    "members_table.change_since": "Since {since}",
    "members_table.unknown": "unknown: {count}",
    "members_table.never_requested": "never requested: {count}",
    "members_table.never": "not checked yet",
    "members_table.no_reasons": "none found",
    "members_table.no_reasons_known": "none found, but not everything is known",
    "members_table.moved": "{before} → {level}, {date}",
    "members_table.assessed_first": "assessed for the first time",
    "members_table.first_check": "first check",
    "members_table.not_requested": "not checked again",
    "members_table.unanswered": "requested, no answer",
    "members_table.silent": "the new check got no fresh answer",
    "members_table.part_silent": "blocks without a fresh answer: {silent} of {asked}",
    "members_table.alerts": "alerts: {alerts}",
    "members_table.none": "no change",
    "contents": "On this page",
}
