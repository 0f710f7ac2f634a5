"""Results of a search: hits, snippets, facets."""
