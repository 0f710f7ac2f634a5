"""The catalogue: every operation of the engine, declared once as a typed function, one file for each subject."""
