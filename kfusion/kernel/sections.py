"""kload and kstore are assertions: what they say is compared with what the code does."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.kernel.model import Access, FeatureUse, Parameter
from kfusion.parse.annotations import Section
from kfusion.parse.unit import Function, Unit
from kfusion.source.diagnostics import KFusionError, error
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

SECTIONS = protection("sections", "kload and kstore are compared with the code")

_STORING_CALLS = ("write_image", "atom")


def check_sections(
    unit: Unit,
    function: Function,
    parameters: Sequence[Parameter],
    accesses: Sequence[Access],
    features: Sequence[FeatureUse],
) -> None:
    """Raise if an annotation of the kernel contradicts it."""
    start, end = unit.range(function.body.first, function.body.last)
    sections = [s for s in unit.annotations.sections if start < s.annotation.start < end]
    if not sections or not is_on(SECTIONS):
        return
    stores = [(a.parameter, a.span) for a in accesses if a.mode.writes and not a.anywhere]
    stores += [(f.what, f.span) for f in features if f.what.startswith(_STORING_CALLS)]
    _stores_in_kload(sections, stores)
    _stores_outside_kstore(sections, stores)
    for section in sections:
        _names(section, parameters, accesses, features)


def _contradiction(
    message: str, span: Span, help: str | None, *where: tuple[str, Span]
) -> KFusionError:
    return error("KF301", message, span, help=help, related=where, exit_code=1)


def _holds(section: Section, span: Span) -> bool:
    return section.start <= span.start < section.end


def _stores_in_kload(sections: Sequence[Section], stores: Sequence[tuple[str, Span]]) -> None:
    for section in sections:
        for name, span in stores:
            if section.kind == "kload" and _holds(section, span):
                message = f"a store to global memory ('{name}') inside kload"
                help = "kload is for loads; put the store into kstore"
                where = ("the kload is here", section.annotation)
                raise _contradiction(message, span, help, where)


def _stores_outside_kstore(sections: Sequence[Section], stores: Sequence[tuple[str, Span]]) -> None:
    kstores = [s for s in sections if s.kind == "kstore"]
    for name, span in stores:
        if kstores and not any(_holds(section, span) for section in kstores):
            message = f"a store to global memory ('{name}') outside kstore"
            help = "move the store into kstore, or remove the annotation"
            where = ("the kernel has its kstore here", kstores[0].annotation)
            raise _contradiction(message, span, help, where)


def _names(
    section: Section,
    parameters: Sequence[Parameter],
    accesses: Sequence[Access],
    features: Sequence[FeatureUse],
) -> None:
    """Every parameter that the annotation names is loaded, or stored to, in the section."""
    loading = section.kind == "kload"
    for name in section.names:
        parameter = next((p for p in parameters if p.name == name), None)
        if parameter is None:
            message = f"'{name}' in {section.kind} is no parameter of the kernel"
            help = f"the parameters are: {', '.join(p.name for p in parameters)}"
            raise _contradiction(message, section.annotation, help)
        accessed = any(
            a.parameter == name
            and (a.mode.reads if loading else a.mode.writes)
            and _holds(section, a.span)
            for a in accesses
        )
        # A call may access what its pointer argument points to.
        passed = any(_holds(section, f.span) for f in features)
        if not accessed and not passed and section.kind != "kcore":
            what = "loaded from" if loading else "stored to"
            message = f"'{name}' is not {what} in this {section.kind}"
            where = (f"'{name}' is declared here", parameter.span)
            raise _contradiction(message, section.annotation, None, where)
