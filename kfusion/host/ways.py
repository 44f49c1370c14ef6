"""Which way a path takes where a condition is not known: a script says it, or a default.

A script is a list of truths, one for each unknown condition in the order in which the path
meets them. Where the script ends, defaults go on. What was decided is kept, so that other
scripts can be made of it.
"""

from __future__ import annotations

from dataclasses import field

from kfusion.source.dataclasses import dataclass

MOST_LAUNCHES = 64  # on one path
MOST_GUIDED = 16  # rounds of a loop whose condition only the guide knows


@dataclass
class Steps:
    """How much may still be executed: counted, so that every run predicts the same."""

    left: int


class PathEndError(Exception):
    """Nothing that the path does after this point is known, or it does nothing more."""

    def __init__(self, doubt: str = "", *, ended: bool = False) -> None:
        super().__init__(doubt)
        self.doubt, self.ended = doubt, ended  # ended: the program itself ends here


@dataclass
class Ways:
    """The decisions of one path, how far it may go, and what makes it doubtful."""

    steps: Steps
    script: tuple[bool, ...] = ()
    taken: tuple[bool, ...] = ()
    # The scripts that part from this path after its own script has ended, and do not give up; and
    # how far each is from the likely path.
    others: list[tuple[int, tuple[bool, ...]]] = field(default_factory=list)
    doubts: dict[str, None] = field(default_factory=dict)  # in order
    cut: bool = False  # there are other paths that nobody follows: more rounds of a loop
    gave_up: bool = False  # a way was taken that gives up, where another one goes on

    def take(self, default: bool, *, cost: int = 1, fails: bool = False) -> bool:
        """`cost`: how much farther off the other way is; 0: nobody follows it. `fails`: the way
        that is not the default gives up: it returns an error, or ends the program."""
        position, truth = len(self.taken), default
        if position < len(self.script):
            truth = self.script[position]
        elif cost and not fails:
            self.others.append((cost, (*self.taken, not truth)))
        self.taken = (*self.taken, truth)
        self.gave_up = self.gave_up or (fails and truth != default)
        self.cut = self.cut or not cost
        return truth

    def doubt(self, what: str) -> None:
        self.doubts[what] = None

    def tick(self) -> None:
        self.steps.left -= 1
        if self.steps.left < 0:
            self.cut = True
            raise PathEndError("there is too much to execute")
