"""Ground that everything stands on: clock, ids, text, tags, tokens, time spans, paths."""
