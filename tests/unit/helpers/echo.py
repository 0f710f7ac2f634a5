"""A program that tells its arguments, a variable and the first line of its input."""

import os
import sys

sys.stdout.write(f"{' '.join(sys.argv[1:])} {os.environ.get('WORD', '')} {sys.stdin.readline()}")
