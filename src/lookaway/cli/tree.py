"""The command tree: its verbs and groups in the order of the walk, and where the verbs of earlier releases went."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

# Each is a file in this folder.
VERBS = (
    *("look", "run", "ingest", "plan", "show", "report", "compare", "check", "power", "calibrate", "published"),
    *("metrics", "demo", "doctor"),
)
GROUPS = ("suite", "stage", "model", "judges", "bank", "people", "weights", "share", "camera", "world", "admin")

# Found until 0.5. `tasks` and `models` became two verbs each and stand beside them, hidden.
MOVED = {
    "suites": "suite list",
    "export-suite": "suite export",
    "controls": "stage controls",
    "generate": "stage generate",
    "observe": "stage observe",
    "judge": "stage judge",
    "score": "stage score",
    "aggregate": "stage analyse",
    "compile": "model compile",
    "serve": "model serve",
    "worlds": "world",
    "compact": "admin compact",
    "forget": "admin forget",
}


class Tree(TyperGroup):
    """Shows verbs, then groups; finds a verb by its old name too, and says the new one."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in (*VERBS, *GROUPS) if name in self.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in MOVED:
            return super().get_command(ctx, cmd_name)
        found: Any = self
        for name in MOVED[cmd_name].split():
            found = found.commands[name]
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name not in MOVED:
            return name, command, rest
        say_moved(name, MOVED[name])
        return MOVED[name], command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        known = self.list_commands(ctx)
        wide = max(map(len, known), default=0)
        for title, names in (("Commands", VERBS), ("Groups of commands, in the order of the walk", GROUPS)):
            rows = [(f"{name:<{wide}}", summary(self.commands[name])) for name in names if name in known]
            with formatter.section(title):
                formatter.write_dl(rows)


def summary(command: Any) -> str:
    """The one line that says what one gets."""
    return (command.help or "").partition("\n")[0]


def say_moved(old: str, new: str) -> None:
    typer.echo(f"lookaway {old} is now: lookaway {new}", err=True)
