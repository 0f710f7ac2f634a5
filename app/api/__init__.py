"""Registry and rules of operations, which ``operations`` declares by subject."""
