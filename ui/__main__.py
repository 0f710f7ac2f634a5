"""``python -m ui`` opens the window."""

import sys

from ui.app import main

sys.exit(main())
