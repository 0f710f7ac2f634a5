"""Entity page: what is known of one name, and what can be done to it."""
