"""The dependence graph of a region: who must stay behind whom, and how closely they meet.

Nodes are indices of invocations; an edge from p to q for each memory object and kind of
dependence carries the loosest class of meeting among the accesses (see ownership.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from kfusion.graph.bind import Stage
from kfusion.graph.model import Invocation
from kfusion.graph.ownership import Dependence, depend
from kfusion.kernel.forms import Value

if TYPE_CHECKING:
    import networkx


class Kind(Enum):
    """By what the earlier and the later invocation do."""

    RAW = "read after write"
    WAR = "write after read"
    WAW = "write after write"


_ORDER = list(Dependence)  # from none to everything else


def dependence_graph(invocations: Sequence[Invocation]) -> networkx.MultiDiGraph:
    """Edges p -> q with key (memory, Kind) and the attribute `dependence`."""
    import networkx  # slow to import, and only needed here

    graph = networkx.MultiDiGraph()
    stages = [Stage(invocation) for invocation in invocations]
    graph.add_nodes_from(invocation.index for invocation in invocations)
    for position, q in enumerate(stages):
        for p in stages[:position]:
            for memory in p.memory.keys() & q.memory.keys():
                for kind in Kind:
                    found = meeting(p, q, memory, kind)
                    if found is not Dependence.NONE:
                        graph.add_edge(
                            p.invocation.index,
                            q.invocation.index,
                            key=(memory, kind),
                            dependence=found,
                        )
    return graph


def _unknown(_dimension: int, _limit: Value) -> bool:
    """Nothing is known of the range here."""
    return False


def meeting(p: Stage, q: Stage, memory: str, kind: Kind) -> Dependence:
    """How the accesses of the two to a memory object depend on each other."""
    first, second = (
        (p.written if kind is not Kind.WAR else p.read),
        (q.read if kind is Kind.RAW else q.written),
    )
    if memory not in first or memory not in second:
        return Dependence.NONE
    if p.invocation.kernel.features or q.invocation.kernel.features:
        return Dependence.OTHER  # not every access is known
    if p.invocation.range != q.invocation.range:
        return Dependence.OTHER
    classes = [
        depend(a, b, p.invocation.range.dimensions, _unknown)
        for a in p.accesses
        for b in q.accesses
        if a.memory.name == b.memory.name == memory
        and (a.access.mode.writes if kind is not Kind.WAR else a.access.mode.reads)
        and (b.access.mode.reads if kind is Kind.RAW else b.access.mode.writes)
    ]
    return max(classes, key=_ORDER.index, default=Dependence.NONE)
