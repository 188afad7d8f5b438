"""The command `serve`: serve the schedules of the settings as Prefect deployments."""

from innspect.cli._console import make_console, make_table
from innspect.cli._options import CliOptions
from innspect.reports.format import format_roubles
from innspect.schemas.errors import Exit, SettingsError
from innspect.schemas.settings import Settings


def serve(options: CliOptions) -> int:
    """Serve the schedules until interrupted.

    Raises SettingsError if no Prefect server responds, and for settings with which every scheduled run would fail.
    """
    settings = options.settings()
    if not settings.schedules and not settings.notify:
        raise SettingsError(
            "The settings have no schedules; add one to configs/innspect.toml, which contains an example.",
            key="schedules",
        )
    from innspect.flows.prefect.deployments import prepare_deployments, serve_deployments  # noqa: PLC0415

    served, screen = prepare_deployments(settings, options.config, sandbox=options.sandbox), make_console()
    for name in served.paused:
        screen.print(f"The schedule {name} is no longer in the settings; it was paused.")
    screen.print(
        make_table(["schedule", "cron", "time zone", "portfolio", "profile", "budget"], schedule_rows(settings))
    )
    if settings.notify:
        screen.print(make_table(["messages", "what", "when", "time zone"], receiver_rows(settings)))
    screen.print(f"Serving on {served.address}; Ctrl-C stops and pauses the schedules.")
    serve_deployments(served.deployments)
    return int(Exit.OK)


def schedule_rows(settings: Settings) -> list[tuple[str, ...]]:
    """The schedules, one row each."""
    from innspect.flows.prefect.scheduled_flow import settings_of_schedule  # noqa: PLC0415 (Prefect takes three seconds)

    return [
        (
            name,
            schedule.cron,
            schedule.timezone or settings.source_timezone,
            schedule.portfolio,
            schedule.profile or settings.default_profile,
            format_roubles(settings_of_schedule(settings, schedule).budget.run_kopecks),
        )
        for name, schedule in settings.schedules.items()
    ]


def receiver_rows(settings: Settings) -> list[tuple[str, ...]]:
    """The receivers of messages, one row each."""
    return [
        (name, ", ".join(receiver.what), receiver.when, receiver.timezone or settings.source_timezone)
        for name, receiver in settings.notify.items()
    ]
