"""Other stores, each opened by its own interpreter; nothing here imports Keepsake's engine."""
