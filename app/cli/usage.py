"""Wrong usage that the parser cannot see."""


class WrongUsageError(Exception):
    """The command line cannot be meant like this; ends with the exit status 2.

    Args:
        sentence: What is wrong, without a full stop.
        command: The command, as typed.
    """

    def __init__(self, sentence: str, command: str = "keepsake") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.command = command
