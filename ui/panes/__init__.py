"""The large views: sessions, notes, graph, schedule, search."""
