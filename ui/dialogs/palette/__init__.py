"""The command palette: its entries, their lookup and list."""
