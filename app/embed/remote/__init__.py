"""Remote embedding services: requests, retries, keys."""
