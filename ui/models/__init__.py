"""What item views show: id lists filled by pages, cards and rendered text. They know no engine, only how to ask."""
