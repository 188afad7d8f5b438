"""When a message is due: the latest due time before an instant."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from innspect.schemas.settings.notify import DueTime


def latest_due(due: DueTime, zone: str, now: datetime) -> datetime:
    """The latest due time at or before `now`; both are UTC. `due` is a local time of the zone."""
    here = ZoneInfo(zone)
    local_day = now.replace(tzinfo=UTC).astimezone(here).date()
    days = (local_day - timedelta(days=back) for back in range(9))
    wanted = (day for day in days if due.weekday in (None, day.weekday()))
    # A local time that a change of the clocks skips is taken an hour later, as the tz database does.
    instants = (datetime.combine(day, due.at, here).astimezone(UTC).replace(tzinfo=None) for day in wanted)
    return next(instant for instant in instants if instant <= now)
