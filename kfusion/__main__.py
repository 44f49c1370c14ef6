"""Lets ``python -m kfusion`` stand for the ``kfusion`` command."""

from kfusion.cli import main

if __name__ == "__main__":
    main()
