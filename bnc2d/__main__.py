"""``python -m bnc2d``."""

import sys

from bnc2d.cli.main import main

sys.exit(main())
