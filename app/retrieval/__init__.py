"""Finding: query language, candidates, fusion and ranking, recipes. Owns nothing; reads the index."""
