"""Language models, each behind one protocol, with an absent one that says so; no part of Keepsake needs any."""
