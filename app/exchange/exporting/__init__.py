"""Export: everything, one conversation or the graph, as files of several kinds."""
