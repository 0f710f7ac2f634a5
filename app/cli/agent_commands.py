"""``keepsake agent``: commands beside those of the catalogue."""

import typer

application = typer.Typer(name="agent", help="Programs that may use the memory.", rich_markup_mode=None)
