"""The launches of a region as the planner sees them.

Runs of calls come in, and the kernels that the program has; for each call its kernel and its
invocation go out: arguments and range under names that are equal where the values are. Beside
them go those values by their names, and what memory the launch of a run uses. A call that
launches no kernel, or none that is known, is an error.
"""

from __future__ import annotations

from kfusion.graph.model import Argument, Invocation, LaunchRange, LocalMemory, Memory, Scalar
from kfusion.host.effects import Synchronise, Transfer, UnknownCall, Unsupported
from kfusion.host.equality import identity, image_size_of
from kfusion.host.handles import HandleTable
from kfusion.host.hints import hint_for
from kfusion.host.library import Run
from kfusion.host.options import groups_are_full
from kfusion.host.regions import RegionCall
from kfusion.host.segments import Segments
from kfusion.host.spelling import spell
from kfusion.host.symbolic import Literal, Num, Sym, leaves
from kfusion.kernel.evaluate import image_size
from kfusion.kernel.model import Kernel
from kfusion.source.diagnostics import error


class Invocations:
    """What each call of a region launches."""

    def __init__(
        self, segments: Segments, handles: HandleTable, kernels: dict[str, Kernel]
    ) -> None:
        self.segments, self.region, self.program = segments, segments.region, segments.program
        self.handles, self.kernels = handles, kernels
        self.runs = segments.runs(0, len(self.region.calls) - 1)
        self.kernel_of = [
            self._kernel(call, run) for call, run in zip(self.region.calls, self.runs, strict=True)
        ]
        self.values: dict[str, Sym] = {}
        self._uses: dict[int, dict[str, bool]] = {}
        self._full_groups = groups_are_full(self.program.units)
        self.all = tuple(self._invocation(i) for i in range(len(self.runs)))

    def _kernel(self, call: RegionCall, run: Run) -> Kernel | None:
        if not run.launches:
            return None
        unit = call.function.unit
        span = self.program.node_span(run.launch.node, unit)
        frames = {run.frame.number: run.frame, 0: self.segments.frame()}
        names = self.handles.kernel_names(run.launch.kernel, frames)
        if len(names) != 1:
            if names:
                listed = ", ".join(sorted(names))
                message = f"this launch may use one of several kernels: {listed}"
            else:
                message = (
                    f"no clCreateKernel call gives the kernel handle of '{call.function.name}'"
                )
            raise error(
                "KF124",
                message,
                span,
                help="kfusion follows handles in variables, struct members and arrays that "
                "are filled by clCreateKernel with constant names",
                related=(("called from here", call.call),),
            )
        name = next(iter(names))
        if name not in self.kernels:
            raise error(
                "KF123",
                f"no kernel file defines kernel '{name}'",
                span,
                help="give kfusion the .cl file that holds it",
                related=(("called from here", call.call),),
            )
        kernel = self.kernels[name]
        self._check_count(run, kernel)
        return kernel

    def _check_count(self, run: Run, kernel: Kernel) -> None:
        too_many = [i for i in run.set_arguments if i >= len(kernel.parameters)]
        if too_many:
            unit = run.function.unit
            effect = run.set_arguments[max(too_many)]
            raise error(
                "KF125",
                f"argument {max(too_many)} is set, but kernel '{kernel.name}' has "
                f"{len(kernel.parameters)} parameters",
                self.program.node_span(effect.node, unit),
                related=(("the kernel", kernel.span),),
            )

    def _invocation(self, index: int) -> Invocation:
        call, run, kernel = self.region.calls[index], self.runs[index], self.kernel_of[index]
        if kernel is None or not run.launches:
            where = run.function.unit.node_span(run.function.function.node)
            raise error(
                "KF122",
                f"'{run.function.name}' launches no kernel",
                call.call,
                related=(("it is defined here", where),),
            )
        launch = run.launch
        arguments = tuple(
            self._argument(run, kernel, position) for position in range(len(kernel.parameters))
        )
        size = ", ".join(map(str, launch.size))
        offset = launch.offset or ()
        moved = any(o != Num(0) for o in offset)
        key = f"({size})" + (f" from ({', '.join(map(str, offset))})" if moved else "")
        local = ", ".join(map(str, launch.local)) if launch.local else None
        single = tuple(d for d, items in enumerate(launch.local or ()) if items == Num(1))
        one_group = launch.local is not None and tuple(launch.local) == tuple(launch.size)
        dimensions = launch.dimensions.value if isinstance(launch.dimensions, Num) else 0
        label = " ".join(call.call.text.split())
        return Invocation(
            index,
            kernel,
            arguments,
            LaunchRange(
                dimensions,
                key,
                local,
                offset=moved,
                single=single,
                one_group=one_group,
                uniform=self._full_groups,
            ),
            label,
            call.call,
            sure=self._is_sure(index),
            seen=self._seen_by(index, arguments),
        )

    def _is_sure(self, index: int) -> bool:
        """Is the kernel launched whenever the calls before it are done?

        Each of those may leave the region, and there may be more in the statement.
        """
        call, run = self.region.calls[index], self.runs[index]
        between = self.segments.between(index - 1, index) if index > 0 else []
        if not all(item.harmless for item in between) or call.status in ("chained", "unknown"):
            return False
        if index > 0 and self.region.calls[index - 1].status in ("checked", "chained", "unknown"):
            before = self.runs[index - 1]
            if before.requirements or before.problems or before.result != Num(0):
                return False
        return not run.requirements and not run.problems and run.launch.certain

    def _seen_by(self, index: int, arguments: tuple[Argument, ...]) -> frozenset[str] | None:
        """Memory that the call's host code reads on the device; None: it may be any.

        Only what the kernel gets, too, is known not to be something else by another name.
        """
        effects = [effect for step in self.runs[index].steps for effect in step.effects]
        if any(isinstance(e, UnknownCall | Unsupported | Synchronise) for e in effects):
            return None
        read = {str(identity(v)) for e in effects if isinstance(e, Transfer) for v in e.reads}
        given = {argument.name for argument in arguments if isinstance(argument, Memory)}
        return frozenset(read) if read <= given else None

    def _argument(self, run: Run, kernel: Kernel, position: int) -> Argument:
        parameter = kernel.parameters[position]
        effect = run.set_arguments.get(position)
        if effect is None:
            name = f"<unset {run.frame.number}.{position}>"
            return Scalar(name, parameter.name)
        if effect.value is None:
            return LocalMemory(str(effect.size), parameter.name)
        value = identity(effect.value)
        name = str(value)
        self.values[name] = value
        if parameter.image:
            for which in ("width", "height"):
                self.values[image_size(which, name)] = image_size_of(value, which)
        if parameter.pointer or parameter.image:
            return Memory(name, hint_for(value, parameter.name, self.runs), spell(value))
        if all(isinstance(leaf, Num | Literal) for leaf in leaves(value)):
            # Constants: equal by value perhaps, but a variable each.
            name = f"{value} for {parameter.name} of call {self.segments.index_of(run)}"
            self.values[name] = value
        return Scalar(name, parameter.name, spell(value))

    def uses(self, run: Run) -> dict[str, bool]:
        """Memory objects of a launch by name, and whether it may write them."""
        if id(run) in self._uses:
            return self._uses[id(run)]
        kernel = self.kernel_of[self.segments.index_of(run)]
        assert kernel is not None
        result: dict[str, bool] = {}
        for position, effect in run.set_arguments.items():
            parameter = kernel.parameters[position]
            if effect.value is not None and (parameter.pointer or parameter.image):
                written = any(
                    a.parameter == parameter.name and a.mode.writes for a in kernel.accesses
                ) or bool(kernel.features)
                name = str(identity(effect.value))
                result[name] = written or result.get(name, False)
        self._uses[id(run)] = result  # runs are kept: no other one gets this number
        return result
