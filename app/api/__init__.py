"""The catalogue of operations, declared as typed functions in one file per subject."""
