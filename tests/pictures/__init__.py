"""Pictures of the whole window: every pane and sheet, in each look, over an empty, a sample and a large vault."""
