"""Knowledge graph as other memory servers keep it: entities with observations, and relations between them."""
