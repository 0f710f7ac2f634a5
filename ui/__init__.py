"""The window: Qt widgets over the bridge, the one door to the engine."""
