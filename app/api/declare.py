"""The registry that the subject files fill."""

from app.api.registry import Registry

REGISTRY = Registry()
operation = REGISTRY.operation
