"""Tests of the status pane."""
