"""Entity page: facts, relations and actions of one name."""
