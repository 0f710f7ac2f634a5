"""Tests of the graph pane."""
