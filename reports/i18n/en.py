"""The page in English. Names of tables, columns and methods stay as they are."""

from collections.abc import Mapping, Sequence

COUNTED: Mapping[str, Sequence[str]] = {
    "member": ("counterparty", "counterparties"),
    "of_member": ("counterparty", "counterparties"),
    "company": ("company", "companies"),
    "person": ("sole proprietor", "sole proprietors"),
    "change": ("change", "changes"),
    "case": ("case", "cases"),
    "proceeding": ("proceeding", "proceedings"),
    "answer": ("item", "items"),
    "day": ("day", "days"),
    "in_group": ("group", "groups"),
    "joined_member": ("counterparty", "counterparties"),
    "pair": ("pair", "pairs"),
    "group": ("group", "groups"),
    "reason": ("signal", "signals"),
}

TEXTS: Mapping[str, str] = {
    "title": "Counterparties: {portfolio}",
    "kicker": "Report on checked counterparties",
    "not_known": "not known",
    "not_confirmed": "not confirmed",
    "never_asked": "never asked",
    "thousand": "k",
    "million": "M",
    "billion": "bn",
    "trillion": "tn",
    "more": "and {rest} more",
    "whole_list": "the whole list is in the query",
    # Header
    "run": "Run",
    "run_was": "{at}, profile {profile}",
    "no_run": "this portfolio has never been checked",
    "made": "Report made {at} ({zone})",
    "exit.0": "complete",
    "exit.1": "cut short by a fault of the program",
    "exit.2": "not begun: wrong settings",
    "exit.3": "the budget ended before the plan",
    "exit.4": "the service refused the key or the credit",
    "exit.5": "not begun: the stores were held",
    "exit.6": "some calls have no usable answer",
    "exit.130": "interrupted by the user",
    "exit.None": "not finished",
    "figure.members": "In the portfolio",
    "figure.members.note": "{companies}, {people}",
    "figure.grave": "High and critical risk",
    "figure.grave.note": "level unknown for {unknown}",
    "figure.grave.all": "the level of everyone is known",
    "figure.alerts": "Alerts",
    "figure.alerts.note": "{changes} in all",
    "figure.alerts.first": "first check: nothing to compare with",
    "figure.confirmed": "Confirmed",
    "figure.confirmed.note": "{confirmed} of {askable} items; {unconfirmed} not confirmed, {never} never asked",
    "figure.money": "Spent in the run",
    "figure.money.note": "of a budget of {budget}; {unknown} more unknown; {total} in all",
    "figure.money.none": "Spent in all",
    # Changes
    "changes": "What changed",
    "changes.since": "Since the check before ({since}): {changes} of {members}.",
    "changes.since_day": "Since {since}: {changes} of {members}.",
    "changes.first": (
        "This is the first check of the portfolio: there is nothing to compare with yet. Changes appear after the "
        "next one."
    ),
    "changes.none": "No changes found since {since}. A silent source is no change: see what is not confirmed.",
    "changes.unasked": "The portfolio has not been checked yet; what changed is not known.",
    "changes.alert": "Alerts",
    "changes.notice": "Notices",
    "changes.info.told": "Other changes: {count}. By block:",
    "changes.more_lines": "and {rest} more of this counterparty",
    "changes.added": "added",
    "changes.removed": "removed",
    "changes.until": "as before until {at}",
    "changes.empty": "empty",
    "changes.true": "yes",
    "changes.false": "no",
    # Risk
    "risk": "Levels of risk",
    "risk.note": (
        "The level follows from the weights of the risk signals that are present. 'Unknown' means that too little "
        "is confirmed to judge: it is not 'low'. Rules and weights: mart.risk_rules."
    ),
    "risk.count": "counterparties",
    "level.critical": "critical",
    "level.high": "high",
    "level.medium": "medium",
    "level.low": "low",
    "level.unknown": "unknown",
    "worst": "Who is worst, and why",
    "worst.none": "No risk signal was found for anybody. What is not confirmed is shown below.",
    "worst.note": (
        "Score: the sum of the weights of the signals found. 'Up to' is what it would be if everything "
        "unconfirmed were bad."
    ),
    "worst.more": "The first {shown} of {all} with risk signals.",
    "worst.who": "Counterparty",
    "worst.level": "Level",
    "worst.score": "Score",
    "worst.most": "up to {score}",
    "worst.confirmed": "Confirmed",
    "worst.reasons": "Why",
    "worst.unsure": "the latest answer does not confirm this",
    "nameless": "name not known",
    # Coverage
    "coverage": "What we do not know",
    "coverage.note": (
        "Share of the counterparties that can be asked, by the latest answer to each block. What is known worst "
        "stands on top."
    ),
    "coverage.table": "Where the gaps are",
    "coverage.none": "Everything that can be asked is confirmed.",
    "coverage.unasked": "The portfolio is empty: there is nobody to ask about.",
    "coverage.why": "Why not confirmed:",
    "coverage.block": "Block",
    "coverage.share": "share of counterparties",
    "group.found": "found",
    "group.clean": "checked, nothing there",
    "group.partial": "incomplete",
    "group.silent": "not confirmed",
    "group.never": "never asked",
    "state.unconfirmed": "source was silent",
    "state.unavailable": "service could not ask",
    "state.missing": "block missing in the answer",
    "state.failed": "no usable answer",
    # Freshness
    "freshness": "How fresh it is",
    "freshness.note": (
        "Days since the last confirmation, over all counterparties and blocks. The oldest thing known: {oldest}."
    ),
    "freshness.nothing": "Nothing is confirmed yet.",
    "freshness.count": "items",
    "age.0": "under a day",
    "age.1": "1–7 days",
    "age.7": "7–30 days",
    "age.30": "30–90 days",
    "age.90": "over 90 days",
    "age.silent": "not confirmed",
    "age.never": "never asked",
    "days.few": "less than a day",
    # Money
    "money": "Where the money went",
    "money.note": (
        "From the beginning, by the service's methods. What is unknown (no answer came, but it may have been "
        "charged) counts as spent."
    ),
    "money.none": "No money was spent on this portfolio yet.",
    "money.charged": "charged",
    "money.unknown": "unknown",
    "money.runs": "Latest runs",
    "money.run_at": "When",
    "money.outcome": "Outcome",
    "money.calls": "calls",
    "money.axis": "roubles",
    "money.others": "others ({methods})",
    # Courts
    "courts": "Courts",
    "courts.note": "Cases by year of filing and role of the counterparty: arbitration and general courts.",
    "courts.none": "Not one case is known.",
    "courts.undated": "Without a date: {count}.",
    "courts.undated_only": "Known only without a date: {count}.",
    "courts.earlier": "Before {year}: {count}.",
    "role.respondent": "respondent",
    "role.plaintiff": "plaintiff",
    "role.other": "another, or not told",
    "enforcement": "Enforcement",
    "enforcement.note": "Bailiffs' proceedings by the year in which they were opened.",
    "enforcement.none": "Not one proceeding is known.",
    "silence.some": "{block}: not confirmed for {silent} of {askable}, never asked for {never}.",
    "silence.none": "{block}: answered for each of {askable}.",
    "active.open": "active",
    "active.ended": "ended",
    "active.unknown": "not known",
    "bars.silent": "A gap in the chart does not mean that nothing happened.",
    # Revenue and debt
    "debt": "Revenue against debt",
    "debt.note": (
        "Each point is a counterparty whose revenue and debt to bailiffs are both known. Both scales are "
        "logarithmic; above the dashed line the debt is greater than a year's revenue."
    ),
    "debt.crowd": (
        "There are many, so points show the {shown} with the greatest share of debt and squares the others: the "
        "darker, the more of them."
    ),
    "debt.none": "There is no counterparty of which both the revenue and a debt other than zero are known.",
    "debt.words": (
        "No debt, by the last that is known: {no_debt}. Revenue of zero: {no_revenue}. Debt not known: "
        "{debt_unknown}. Revenue "
        "not known: {revenue_unknown}. Not known is not zero: they are not in the chart."
    ),
    "debt.table": "The heaviest debt against revenue",
    "debt.revenue": "Revenue",
    "debt.debt": "Debt to bailiffs",
    "debt.ratio": "Debt to revenue",
    "debt.axis_x": "revenue of a year, RUB",
    "debt.axis_y": "debt to bailiffs, RUB",
    # Links
    "links": "Connections within the portfolio",
    "links.note": (
        "Members joined by a common director, founder, address or phone, or by one having a part in the other."
    ),
    "links.none": (
        "No connection between members was found. Only what is known can be searched: the card is not confirmed "
        "for {silent}, never asked for {never}."
    ),
    "evidence.dated": " of {day}",
    "evidence.number": "No. ",
    "evidence.case": "case ",
    "evidence.registered": "registered {day}",
    "evidence.until": "until {day}",
    "evidence.headcount": "headcount ",
    "evidence.against": " against ",
    "evidence.of": " of ",
    "evidence.closed": ", closed: ",
    "evidence.linked companies": "linked companies",
    "evidence.matches of low confidence": "matches of low confidence",
    "evidence.excluded entries": "excluded entries",
    "evidence.with violations": "with violations",
    "evidence.cases lost": "cases lost",
    "evidence.cases": "cases",
    "evidence.proceedings": "proceedings",
    "evidence.decisions": "decisions",
    "evidence.notices": "notices",
    "evidence.contracts": "contracts",
    "evidence.matches": "matches",
    "evidence.before": ", before: ",
    "links.told": "{pairs} in {groups}; the largest joins {largest}.",
    "links.told_one": "{pairs}: one group of {largest}.",
    "links.who": "Who",
    "links.what": "What they share",
    "links.namesake": "only the name is the same, perhaps a namesake",
    "links.picture": (
        "The largest groups, left to right and top to bottom as in the table. A circle is a counterparty, its "
        "number that of the table, its colour the level of risk."
    ),
    "kind.director": "director",
    "kind.founder": "founder",
    "kind.beneficiary": "beneficiary",
    "kind.linked company": "linked company",
    "kind.founded company": "founded company",
    "kind.address": "address",
    "kind.phone": "phone",
    "kind.email": "email",
    # Reading
    "reading": "How to read this",
    "reading.known": (
        "'Nothing there', confirmed, and 'not confirmed' are different things. Where a source was silent, the "
        "report writes no zero."
    ),
    "reading.never": "'Never asked' means that the service has not been asked about it yet.",
    "queries": "Queries",
    "queries.note": (
        "Every number here is the result of one of these queries on the warehouse; the number in brackets beside "
        "a figure or heading is that of its query. To run one: {command}"
    ),
}
