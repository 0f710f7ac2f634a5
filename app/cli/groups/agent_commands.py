"""``keepsake agent``: commands beside those of the catalogue."""

import typer

from app.cli.groups import agent_connect

application = typer.Typer(name="agent", help="Programs that may use the memory.", rich_markup_mode=None)
application.command()(agent_connect.connect)
application.command()(agent_connect.disconnect)
