"""The declarations of settings, a file for each group of sections; ``app.config.schema`` assembles them."""
