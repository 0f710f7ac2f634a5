"""Why a hit is shown, and why something is not."""
