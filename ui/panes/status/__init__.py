"""Status pane: privacy and safety of the vault at this moment."""
