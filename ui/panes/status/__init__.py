"""Status pane: what is known of privacy and safety at this moment."""
