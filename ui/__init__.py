"""The window: Qt widgets over the bridge, the only way to the engine."""
