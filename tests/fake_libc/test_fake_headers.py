"""The stand-in system headers are enough C for the parser, and tell the truth."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from pycparser import CParser, c_ast

from kfusion.paths import fake_libc_dir, include_dir

HERE = Path(__file__).parent
FAKE = fake_libc_dir()
HEADERS = sorted(path.relative_to(FAKE).as_posix() for path in FAKE.rglob("*.h"))
SYSTEM_CL = Path("/usr/include/CL")
CL_1_2 = "-DCL_TARGET_OPENCL_VERSION=120"
CL_3_0 = "-DCL_TARGET_OPENCL_VERSION=300"
GNU = "-D_GNU_SOURCE"

OPENCL_1_2 = """
    clGetPlatformIDs clGetPlatformInfo clUnloadPlatformCompiler
    clGetExtensionFunctionAddressForPlatform
    clGetDeviceIDs clGetDeviceInfo clCreateSubDevices clRetainDevice clReleaseDevice
    clCreateContext clCreateContextFromType clRetainContext clReleaseContext clGetContextInfo
    clCreateCommandQueue clRetainCommandQueue clReleaseCommandQueue clGetCommandQueueInfo
    clFlush clFinish
    clCreateBuffer clCreateSubBuffer clCreateImage clRetainMemObject clReleaseMemObject
    clGetMemObjectInfo clGetImageInfo clGetSupportedImageFormats clSetMemObjectDestructorCallback
    clCreateSampler clRetainSampler clReleaseSampler clGetSamplerInfo
    clCreateProgramWithSource clCreateProgramWithBinary clCreateProgramWithBuiltInKernels
    clRetainProgram clReleaseProgram clBuildProgram clCompileProgram clLinkProgram
    clGetProgramInfo clGetProgramBuildInfo
    clCreateKernel clCreateKernelsInProgram clRetainKernel clReleaseKernel clSetKernelArg
    clGetKernelInfo clGetKernelArgInfo clGetKernelWorkGroupInfo
    clCreateUserEvent clWaitForEvents clRetainEvent clReleaseEvent clGetEventInfo
    clGetEventProfilingInfo clSetUserEventStatus clSetEventCallback
    clEnqueueNDRangeKernel clEnqueueTask clEnqueueNativeKernel
    clEnqueueReadBuffer clEnqueueReadBufferRect clEnqueueWriteBuffer clEnqueueWriteBufferRect
    clEnqueueFillBuffer clEnqueueCopyBuffer clEnqueueCopyBufferRect clEnqueueMapBuffer
    clEnqueueReadImage clEnqueueWriteImage clEnqueueFillImage clEnqueueCopyImage
    clEnqueueCopyImageToBuffer clEnqueueCopyBufferToImage clEnqueueMapImage
    clEnqueueUnmapMemObject clEnqueueMigrateMemObjects
    clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList
    clSetCommandQueueProperty clCreateImage2D clCreateImage3D clEnqueueMarker
    clEnqueueWaitForEvents clEnqueueBarrier clUnloadCompiler clGetExtensionFunctionAddress
""".split()

OPENCL_2_AND_3 = """
    clCreateCommandQueueWithProperties clCreateSamplerWithProperties clCreatePipe clGetPipeInfo
    clSVMAlloc clSVMFree clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueSVMMap
    clEnqueueSVMUnmap clSetKernelArgSVMPointer clSetKernelExecInfo
    clSetDefaultDeviceCommandQueue clGetDeviceAndHostTimer clGetHostTimer clCreateProgramWithIL
    clCloneKernel clGetKernelSubGroupInfo clEnqueueSVMMigrateMem
    clSetProgramReleaseCallback clSetProgramSpecializationConstant
    clCreateBufferWithProperties clCreateImageWithProperties clSetContextDestructorCallback
""".split()

# What a test includes of the standard library and POSIX to compare declarations with the
# system's. Not among them: OpenMP's header belongs to the compiler, and timeb is obsolete.
LIBC = [
    header
    for header in HEADERS
    if not header.startswith(("_", "CL/", "OpenCL/")) and header not in {"omp.h", "sys/timeb.h"}
]

SIZES = """
_Static_assert(sizeof(cl_char) == 1 && sizeof(cl_ushort) == 2 && sizeof(cl_int) == 4, "integers");
_Static_assert(sizeof(cl_ulong) == 8 && sizeof(cl_half) == 2 && sizeof(cl_double) == 8, "scalars");
_Static_assert((cl_char)-1 < 0 && (cl_long)-1 < 0 && (cl_uint)-1 > 0, "signs");
_Static_assert(sizeof(cl_bool) == 4 && sizeof(cl_mem_flags) == 8 && sizeof(cl_mem) == 8, "types");
_Static_assert(sizeof(cl_image_format) == 8 && sizeof(cl_buffer_region) == 16, "structures");
_Static_assert(sizeof(cl_image_desc) == 72, "image description");
_Static_assert(sizeof(cl_name_version) == 68, "name and version");
_Static_assert(sizeof(cl_char2) == 2 && sizeof(cl_uchar16) == 16 && sizeof(cl_int3) == 16, "int");
_Static_assert(sizeof(cl_float2) == 8 && sizeof(cl_float4) == 16 && sizeof(cl_float8) == 32, "fp");
_Static_assert(sizeof(cl_double16) == 128 && sizeof(cl_long8) == 64, "long vectors");
static float lanes(cl_float4 v, cl_int2 i) { return v.s[0] + v.y + v.s2 + (float)(i.x + i.s1); }
float use(cl_float4 v, cl_int2 i) { return lanes(v, i); }
"""


def compiler(arguments: Sequence[str], source: str) -> subprocess.CompletedProcess[str]:
    command = ["cc", *arguments, "-x", "c", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


def preprocess(source: str, *flags: str) -> str:
    done = compiler(["-E", "-nostdinc", f"-I{FAKE}", f"-I{include_dir()}", *flags], source)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def assert_no_complaint(source: str, *flags: str) -> None:
    done = compiler(["-fsyntax-only", "-Wall", "-Wextra", *flags], source)
    assert (done.returncode, done.stderr) == (0, "")


def include(*headers: str) -> str:
    return "".join(f"#include <{header}>\n" for header in headers)


def declared(source: str, *flags: str) -> set[str]:
    """The names of the functions that a file declares."""
    tree = CParser().parse(preprocess(source, *flags))
    return {
        node.name
        for node in tree.ext
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)
    }


def own_lines(header: str, *flags: str) -> list[str]:
    """What a header itself contributes to the preprocessor's output."""
    lines, current = [], ""
    for line in preprocess(include(header), "-dD", *flags).splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            current = marker[1]
        elif current == f"{FAKE}/{header}":
            lines.append(line)
    return lines


def prototypes(header: str, *flags: str) -> list[str]:
    """A header's functions, each name in parentheses, so that no macro of it counts."""
    code = " ".join(line for line in own_lines(header, *flags) if not line.startswith("#"))
    return [
        re.sub(r"\b(\w+)\(", r"(\1)(", statement.strip()) + ";"
        for statement in code.split(";")
        if re.search(r"\w\(", statement) and not re.search(r"typedef|va_list|fake_|[{}]", statement)
    ]


def constants(header: str, *flags: str) -> dict[str, str]:
    """A header's object-like macros, each with what it expands to in the end."""
    names = [
        found[1]
        for line in own_lines(header, *flags)
        if (found := re.match(r"#define (\w+) \S", line)) and not found[1].startswith("__")
    ]
    questions = "".join(f"@{number}@ {name}\n" for number, name in enumerate(names))
    expanded = preprocess(include(header) + questions, "-P", *flags)
    return {
        names[int(number)]: value
        for number, value in re.findall(r"^@ ?(\d+) ?@ ?(.*)$", expanded, re.MULTILINE)
    }


@pytest.fixture(scope="session")
def system_cl() -> Path:
    """The OpenCL headers of the system, which ours are compared with."""
    assert (SYSTEM_CL / "cl.h").is_file(), (
        f"{SYSTEM_CL}/cl.h is missing; install the Debian package opencl-headers (make setup)"
    )
    return SYSTEM_CL


@pytest.mark.parametrize("flags", [(), (GNU,)], ids=["default", "gnu"])
@pytest.mark.parametrize("header", HEADERS)
def test_every_header_parses_alone(header: str, flags: tuple[str, ...]) -> None:
    CParser().parse(preprocess(include(header), *flags), header)


@pytest.mark.parametrize("flags", [(), (GNU,), ("-std=c99",)], ids=["default", "gnu", "c99"])
@pytest.mark.parametrize("header", HEADERS)
def test_every_header_compiles_alone_without_warnings(header: str, flags: tuple[str, ...]) -> None:
    assert_no_complaint(include(header), "-nostdinc", f"-I{FAKE}", *flags)


@pytest.mark.parametrize("header", HEADERS)
def test_every_header_may_be_included_twice(header: str) -> None:
    source = include(header, header) + "extern int something;\n"
    assert_no_complaint(source, "-nostdinc", f"-I{FAKE}", "-std=c11", "-pedantic")


def test_all_headers_go_together() -> None:
    # complex.h has a macro I, and so it comes last, as in programs.
    headers = sorted(HEADERS, key=lambda header: header in {"complex.h", "tgmath.h"})
    CParser().parse(preprocess(include(*headers), GNU))
    assert_no_complaint(include(*headers), "-nostdinc", f"-I{FAKE}", GNU)


@pytest.mark.parametrize("header", HEADERS)
def test_no_compiler_extensions_reach_the_parser(header: str) -> None:
    assert not re.search(
        r"__attribute__|__extension__|__asm|__restrict|__inline|\(\{|#pragma",
        preprocess(include(header), GNU),
    )


def test_opencl_1_2_is_complete() -> None:
    assert set(OPENCL_1_2) <= declared(include("CL/cl.h"), CL_1_2)


@pytest.mark.parametrize("header", ["CL/opencl.h", "OpenCL/opencl.h", "OpenCL/cl.h"])
def test_newer_functions_are_declared_by_default(header: str) -> None:
    assert set(OPENCL_1_2 + OPENCL_2_AND_3) <= declared(include(header))


def test_the_target_version_is_respected() -> None:
    oldest = declared(include("CL/cl.h"), "-DCL_TARGET_OPENCL_VERSION=100")
    assert "clCreateBuffer" in oldest
    assert "clCreateSubBuffer" not in oldest
    assert not set(OPENCL_2_AND_3) & declared(include("CL/cl.h"), CL_1_2)
    source = include("CL/cl.h") + "@ CL_VERSION_1_2 CL_VERSION_2_0 CL_QUEUE_SIZE\n"
    assert preprocess(source, "-P", CL_1_2).endswith("@ 1 CL_VERSION_2_0 CL_QUEUE_SIZE\n")
    assert preprocess(source, "-P").endswith("@ 1 1 0x1094\n")


@pytest.mark.parametrize(
    "header", ["cl.h", "cl_platform.h", "cl_constants.h", "cl_ext.h", "cl_gl.h"]
)
def test_opencl_constants_have_the_systems_values(header: str, system_cl: Path) -> None:
    source = include("CL/opencl.h") + "".join(
        f'_Static_assert(({name}) == ({value}), "{name}");\n'
        for name, value in constants(f"CL/{header}", CL_3_0).items()
        if name not in {"CL_NAN", "CL_PROGRAM_STRING_DEBUG_INFO"}
    )
    assert_no_complaint(source, CL_3_0)


def test_no_constant_of_opencl_1_2_is_missing(system_cl: Path) -> None:
    done = compiler(["-E", "-dM", CL_1_2], include("CL/cl.h"))
    theirs = set(re.findall(r"^#define (CL_\w+) \S", done.stdout, re.MULTILINE))
    listing = preprocess(include("CL/cl.h"), "-dM", CL_1_2)
    ours = set(re.findall(r"^#define (CL_\w+) \S", listing, re.MULTILINE))
    # How declarations are marked, which is the compiler's business, and lo and hi.
    ignored = r"CL_API_|CL_EXT_|CL_PROGRAMMABLE|CL_HAS_|CL_ALIGNED|CL_USE_DEPRECATED|CL_\w+_CALL$"
    missing = {name for name in theirs - ours if not re.match(ignored, name)}
    assert len(theirs & ours) > 400
    assert missing == set()


@pytest.mark.parametrize("header", ["CL/cl.h", "CL/cl_gl.h", "CL/cl_ext.h"])
def test_opencl_prototypes_agree_with_the_systems(header: str, system_cl: Path) -> None:
    source = "\n".join([include("CL/opencl.h"), *prototypes(header, CL_3_0)])
    done = compiler(["-fsyntax-only", "-w", CL_3_0], source)
    assert done.stderr == ""


def test_opencl_types_have_the_systems_sizes(system_cl: Path) -> None:
    source = include("CL/cl.h") + SIZES
    assert_no_complaint(source, CL_3_0)
    assert_no_complaint(source, CL_3_0, "-nostdinc", f"-I{FAKE}")


@pytest.mark.parametrize("header", LIBC)
def test_libc_prototypes_agree_with_the_systems(header: str) -> None:
    source = "\n".join([include(header), *prototypes(header)])
    assert compiler(["-fsyntax-only", "-w"], source).stderr == ""


@pytest.mark.parametrize(
    "header", ["limits.h", "stdint.h", "float.h", "errno.h", "fcntl.h", "stdio.h", "time.h"]
)
def test_libc_constants_have_the_systems_values(header: str) -> None:
    source = include("stddef.h", header) + "".join(
        f'#ifdef {name}\n_Static_assert(({name}) == ({value}), "{name}");\n#endif\n'
        for name, value in constants(header).items()
        if name not in {"stdin", "stdout", "stderr", "errno", "P_tmpdir"}
    )
    assert compiler(["-fsyntax-only", "-w"], source).stderr == ""


@pytest.mark.parametrize("program", ["host.c", "ordinary.c"])
def test_programs_parse_and_compile_without_warnings(program: str) -> None:
    source = (HERE / program).read_text()
    CParser().parse(preprocess(source), program)
    assert_no_complaint(source, "-nostdinc", f"-I{FAKE}")


def test_the_host_program_is_true_to_the_systems_headers(system_cl: Path) -> None:
    assert_no_complaint((HERE / "host.c").read_text(), CL_3_0)
    assert_no_complaint((HERE / "host.c").read_text(), CL_1_2)


def test_formats_are_those_of_the_types() -> None:
    # The compiler checks each format against its argument.
    lines = []
    for bits in (8, 16, 32, 64):
        for kind in ("", "LEAST", "FAST"):
            name = f"int_{kind.lower()}{bits}_t" if kind else f"int{bits}_t"
            size = f"{kind}{bits}"
            lines.append(
                f'{name} v{size}; printf("%" PRId{size} "%" PRIx{size}, v{size}, (u{name})0);'
            )
            lines.append(f'scanf("%" SCNd{size} "%" SCNi{size}, &v{size}, &v{size});')
    lines.append('intmax_t m; intptr_t p; scanf("%" SCNdMAX "%" SCNdPTR, &m, &p);')
    lines.append('printf("%" PRIdMAX "%" PRIuPTR, m, (uintptr_t)p);')
    source = include("inttypes.h", "stdio.h") + "int main(void) {\n" + "\n".join(lines) + "\n}\n"
    assert_no_complaint(source, "-nostdinc", f"-I{FAKE}")


def test_assert_follows_ndebug_at_each_inclusion() -> None:
    source = (
        "#include <assert.h>\nvoid f(int x) { assert(x); }\n"
        "#define NDEBUG\n#include <assert.h>\nvoid g(int x) { assert(x); }\n"
    )
    output = preprocess(source, "-P")
    assert "void f(int x) { ((x) ? (void)0 : abort()); }" in output
    assert "void g(int x) { ((void)0); }" in output


def test_what_follows_system_headers_is_not_taken_for_a_system_header() -> None:
    source = include("stdio.h") + "int f(void) { int unused; return 0; }\n"
    done = compiler(["-fsyntax-only", "-Wall", "-nostdinc", f"-I{FAKE}"], source)
    assert "unused variable" in done.stderr


@pytest.mark.parametrize("standard", ["c99", "c11", "gnu17"])
def test_the_thesis_form_compiles_unfused(standard: str, tmp_path: Path) -> None:
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-std={standard}"]
    program = tmp_path / "program"
    command = ["cc", *strict, f"-I{include_dir()}", str(HERE / "thesis_form.c"), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert subprocess.run([program], check=False).returncode == 0


def test_the_thesis_form_becomes_plain_blocks() -> None:
    output = preprocess("#include <kfusion.h>\nkfuse(x, out(c), temp(t)) { f(x); }\n", "-P")
    assert output == " { f(x); }\n"
