"""Facts in the inspector: confidence, correction and belief timeline."""
