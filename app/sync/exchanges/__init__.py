"""Exchange points: places where the machines of one person leave what they wrote."""
