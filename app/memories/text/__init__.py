"""Text of memories: links, tags, code, and what Keepsake itself told."""
