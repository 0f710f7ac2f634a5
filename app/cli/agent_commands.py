"""``keepsake agent``: the programs that may use the memory."""

from typing import Annotated, Any

import typer

from app.cli import agent_connect, terminal
from app.cli.connect import open_connection

application = typer.Typer(name="agent", help="Let agents in, and end their access.", rich_markup_mode=None)

application.command()(agent_connect.connect)
application.command()(agent_connect.disconnect)

Name = Annotated[str, typer.Argument(help="The agent's name.", show_default=False)]
Trust = Annotated[str, typer.Option(help="full, inner, familiar or public.")]
Stores = Annotated[list[str], typer.Option(help="Narrow it to these stores: private, shared, social.")]
Review = Annotated[bool, typer.Option("--review", help="Let its writes wait in the inbox.")]
Isolated = Annotated[bool, typer.Option("--isolated", help="Give it a vault of its own.")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


@application.command()
def add(
    context: typer.Context,
    name: Name,
    trust: Trust = "familiar",
    stores: Stores = [],  # noqa: B006
    review: Review = False,
    isolated: Isolated = False,
    as_json: Json = False,
) -> None:
    """Register an agent and print its token, which is shown once."""
    arguments = {"name": name, "trust": trust, "stores": _stores(stores), "review": review, "isolated": isolated}
    made = _call(context, "agent.add", **arguments)
    if as_json:
        terminal.say_json(made)
        return
    terminal.say(f"Added {made['name']} with {made['trust']} trust. Its token, shown only now:")
    terminal.say(made["token"])
    terminal.say("Give it to the agent in the variable KEEPSAKE_TOKEN.")


@application.command(name="list")
def list_agents(context: typer.Context, as_json: Json = False) -> None:
    """List the agents with their trust."""
    found = _call(context, "agent.list")
    if as_json:
        terminal.say_json(found)
        return
    for item in found:
        state = "access ended" if item["revoked_at"] else "paused" if item["paused"] else item["trust"]
        terminal.say(f"{item['name']:<24} {state}")


@application.command()
def revoke(context: typer.Context, name: Name) -> None:
    """End an agent's access at once; what it wrote stays."""
    terminal.say(f"The access of {_call(context, 'agent.revoke', name=name)['name']} has ended.")


@application.command()
def requests(context: typer.Context, as_json: Json = False) -> None:
    """List the programs that wait to be let in."""
    found = _call(context, "agent.requests")
    if as_json:
        terminal.say_json(found)
        return
    for item in found:
        terminal.say(f"{item['name']:<24} asks for {item['trust']} trust {item['reason']}".rstrip())


@application.command()
def allow(
    context: typer.Context,
    name: Name,
    trust: Annotated[str | None, typer.Option(help="Its trust; what it asked for by default.")] = None,
    stores: Stores = [],  # noqa: B006
    review: Review = False,
) -> None:
    """Let a program in that asked."""
    arguments = {"request": name, "trust": trust, "stores": _stores(stores), "review": review}
    allowed = _call(context, "agent.allow", **arguments)
    terminal.say(f"{allowed['name']} may use the memory with {allowed['trust']} trust.")


@application.command()
def refuse(context: typer.Context, name: Name) -> None:
    """Refuse a program that asked to be let in."""
    terminal.say(f"{_call(context, 'agent.refuse', request=name)['name']} was refused.")


def _call(context: typer.Context, operation: str, **arguments: Any) -> Any:
    with open_connection(context.obj) as connection:
        return connection.call(operation, **arguments)


def _stores(given: list[str]) -> list[str]:
    return [part.strip() for one in given for part in one.split(",") if part.strip()]
