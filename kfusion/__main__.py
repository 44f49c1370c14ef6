"""The `kfusion` command, and what ``python -m kfusion`` stands for."""

import gc

gc.disable()  # modules and trees are kept to the end: looking for garbage costs a tenth

from kfusion.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
