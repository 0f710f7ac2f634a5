"""Language models for tests."""
