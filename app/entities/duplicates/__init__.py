"""Near-duplicates: pairs of entities that may be one, proposed to the person and never merged by themselves."""
