"""``python -m copyproof`` is the program ``copyproof``."""

import sys

from copyproof.cli import main

if __name__ == "__main__":
    sys.exit(main())
