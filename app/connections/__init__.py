"""Connection of agents' clients: their configuration files, and how an entry is put in and taken out."""
