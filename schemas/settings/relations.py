"""Relations: what an INN that an answer names is to the requested one. An expansion selects some of them."""

from enum import StrEnum


class Relation(StrEnum):
    """Whom an expansion requests, in the order in which the INNs that one member names are taken."""

    DIRECTORS = "directors"
    FOUNDERS = "founders"
    BENEFICIARIES = "beneficiaries"
    LINKED = "linked"
    FOUNDED = "founded"

    @property
    def role(self) -> str:
        """What one such INN is, in the words of `mart.links.kind`."""
        return _ROLES[self]


_ROLES = {
    Relation.DIRECTORS: "director",
    Relation.FOUNDERS: "founder",
    Relation.BENEFICIARIES: "beneficiary",
    Relation.LINKED: "linked company",
    Relation.FOUNDED: "founded company",
}
EXPANDED_SUFFIX = "/expanded"
"""End of the name of a portfolio whose members were found by an expansion of the portfolio before it."""
