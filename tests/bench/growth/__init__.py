"""How what it costs grows with the number of turns: here, and in other stores of memory that do the same."""
