"""Finding names in text: providers, their strategies, and how overlapping finds are settled. Pure, no database."""
