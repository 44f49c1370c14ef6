"""Functions that no given file defines and of which it is known what a region may expect.

A region holds launches back, so the question about a call is never what the function
computes, but who may run, or look at the device, before the call returns:

- OPENCL: the run time stands in front of these functions.
- HARMLESS: such a function returns to its caller, on the same thread, and calls nothing but
  the functions that it is given (`CALLS`).
- SETTLES: such a function does not return, or waits for others, or tells others something.
  What is held back has to be made before the call. The same goes for functions that nothing is
  known of, if they are declared.
- OPENS: after such a call nothing that is held back would be safe.
"""

from __future__ import annotations

import re
from enum import Enum

from kfusion.host import libm
from kfusion.source.protections import is_on, protection

SETTLED = protection("closed-settled", "nothing is settled before a function that leaves or waits")
OPENING = protection("closed-opening", "a region calls what leaves it or shares its memory")


class Kind(Enum):
    OPENCL = "OpenCL"
    HARMLESS = "harmless"
    SETTLES = "settles"
    OPENS = "opens"
    UNKNOWN = "unknown"


def _words(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


# The functions of OpenCL 1.0 to 3.0, without extensions.
OPENCL = _words(
    "clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateSubDevices",
    "clRetainDevice clReleaseDevice clSetDefaultDeviceCommandQueue clGetDeviceAndHostTimer",
    "clGetHostTimer clCreateContext clCreateContextFromType clRetainContext clReleaseContext",
    "clGetContextInfo clSetContextDestructorCallback clCreateCommandQueueWithProperties",
    "clCreateCommandQueue clSetCommandQueueProperty clRetainCommandQueue clReleaseCommandQueue",
    "clGetCommandQueueInfo clCreateBuffer clCreateSubBuffer clCreateBufferWithProperties",
    "clCreateImage clCreateImage2D clCreateImage3D clCreateImageWithProperties clCreatePipe",
    "clRetainMemObject clReleaseMemObject clGetSupportedImageFormats clGetMemObjectInfo",
    "clGetImageInfo clGetPipeInfo clSetMemObjectDestructorCallback clSVMAlloc clSVMFree",
    "clCreateSampler clCreateSamplerWithProperties clRetainSampler clReleaseSampler",
    "clGetSamplerInfo clCreateProgramWithSource clCreateProgramWithBinary",
    "clCreateProgramWithBuiltInKernels clCreateProgramWithIL clRetainProgram clReleaseProgram",
    "clSetProgramReleaseCallback clSetProgramSpecializationConstant clBuildProgram",
    "clCompileProgram clLinkProgram clUnloadPlatformCompiler clUnloadCompiler clGetProgramInfo",
    "clGetProgramBuildInfo clCreateKernel clCreateKernelsInProgram clCloneKernel clRetainKernel",
    "clReleaseKernel clSetKernelArg clSetKernelArgSVMPointer clSetKernelExecInfo clGetKernelInfo",
    "clGetKernelArgInfo clGetKernelWorkGroupInfo clGetKernelSubGroupInfo clWaitForEvents",
    "clGetEventInfo clCreateUserEvent clRetainEvent clReleaseEvent clSetUserEventStatus",
    "clSetEventCallback clGetEventProfilingInfo clFlush clFinish clEnqueueReadBuffer",
    "clEnqueueReadBufferRect clEnqueueWriteBuffer clEnqueueWriteBufferRect clEnqueueFillBuffer",
    "clEnqueueCopyBuffer clEnqueueCopyBufferRect clEnqueueReadImage clEnqueueWriteImage",
    "clEnqueueFillImage clEnqueueCopyImage clEnqueueCopyImageToBuffer clEnqueueMapBuffer",
    "clEnqueueCopyBufferToImage clEnqueueMapImage clEnqueueUnmapMemObject clEnqueueTask",
    "clEnqueueMigrateMemObjects clEnqueueNDRangeKernel clEnqueueNativeKernel clEnqueueMarker",
    "clEnqueueMarkerWithWaitList clEnqueueBarrier clEnqueueBarrierWithWaitList",
    "clEnqueueWaitForEvents clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill",
    "clEnqueueSVMMap clEnqueueSVMUnmap clEnqueueSVMMigrateMem",
)
# Functions that they call later, from any thread: the position of the argument.
NOTIFIES = {
    "clCreateContext": 3,
    "clCreateContextFromType": 2,
    "clBuildProgram": 4,
    "clCompileProgram": 7,
    "clLinkProgram": 6,
    "clEnqueueSVMFree": 3,
    "clSetContextDestructorCallback": 1,
    "clSetMemObjectDestructorCallback": 1,
    "clSetProgramReleaseCallback": 1,
    "clSetEventCallback": 2,
    "clEnqueueNativeKernel": 1,
}

TELLS = frozenset(("clCreateContext", "clCreateContextFromType"))  # of them, what has failed

HARMLESS: dict[str, frozenset[str]] = {
    "mathematics": libm.PURE.union(libm.WRITES, libm.NANS, libm.GAMMAS)
    | _words(
        "abs labs llabs imaxabs div ldiv lldiv imaxdiv j0 j1 jn y0 y1 yn gamma lgamma_r drem",
        "significand exp10 exp10f exp10l pow10 sincos sincosf sincosl scalb finite finitef isinff",
        "isnanf ffs ffsl ffsll feclearexcept feraiseexcept fetestexcept fegetround fesetround",
        "fegetenv fesetenv feholdexcept feupdateenv fegetexceptflag fesetexceptflag",
        "cabs cabsf cabsl carg cargf creal crealf creall cimag cimagf cimagl conj conjf conjl",
        "cexp cexpf clog clogf cpow cpowf csqrt csqrtf csin ccos ctan cproj",
        "rand srand rand_r random srandom initstate setstate drand48 erand48 lrand48 nrand48",
        "mrand48 jrand48 srand48 seed48 lcong48",
    ),
    "characters": _words(
        "isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct",
        "isspace isupper isxdigit tolower toupper toascii iswalnum iswalpha iswblank iswcntrl",
        "iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit",
        "towlower towupper towctrans wctrans wctype btowc wctob mblen mbtowc wctomb mbstowcs",
        "wcstombs mbrlen mbrtowc wcrtomb mbsinit mbsrtowcs wcsrtombs __ctype_b_loc",
        "__ctype_tolower_loc __ctype_toupper_loc htonl htons ntohl ntohs",
    ),
    "strings and memory": _words(
        "memcpy memmove memset memcmp memchr memrchr memmem memccpy mempcpy rawmemchr bcmp bcopy",
        "bzero explicit_bzero strlen strnlen strcpy strncpy stpcpy stpncpy strcat strncat strcmp",
        "strncmp strcoll strxfrm strchr strrchr strchrnul strstr strcasestr strspn strcspn strpbrk",
        "strtok strtok_r strsep strdup strndup strdupa strcasecmp strncasecmp strerror strerror_r",
        "strsignal strverscmp index rindex strlcpy strlcat basename dirname fnmatch",
        "atoi atol atoll atof strtol strtoll strtoul strtoull strtoimax strtoumax strtod strtof",
        "strtold wcscpy wcsncpy wcscat wcsncat wcscmp wcsncmp wcslen wcsnlen wcschr wcsrchr wcsstr",
        "wcsspn wcscspn wcspbrk wcstok wcsdup wcstol wcstoul wcstoll wcstoull wcstod wcstof",
        "wmemcpy wmemmove wmemset wmemcmp wmemchr regcomp regexec regerror regfree",
    ),
    "the heap": _words(
        "malloc calloc realloc reallocarray free cfree aligned_alloc posix_memalign memalign",
        "valloc alloca malloc_usable_size malloc_trim mallopt mallinfo mallinfo2",
    ),
    "stdio on ordinary streams": _words(
        "printf fprintf sprintf snprintf asprintf vprintf vfprintf vsprintf vsnprintf vasprintf",
        "puts fputs putchar putc fputc fwrite scanf fscanf sscanf vscanf vfscanf vsscanf getchar",
        "getc fgetc gets fgets ungetc fread getline getdelim fopen fdopen freopen fclose fflush",
        "fseek fseeko ftell ftello rewind fgetpos fsetpos feof ferror clearerr fileno perror",
        "tmpfile fmemopen open_memstream remove rename tmpnam tempnam mkstemp mkdtemp warn warnx",
        "vwarn vwarnx wprintf fwprintf swprintf vwprintf vfwprintf fputws fputwc putwc putwchar",
        "fgetws fgetwc getwc getwchar putc_unlocked putchar_unlocked getc_unlocked",
        "getchar_unlocked fputs_unlocked fwrite_unlocked fread_unlocked fflush_unlocked",
    ),
    "time": _words(
        "time clock difftime mktime timegm gmtime gmtime_r localtime localtime_r asctime asctime_r",
        "ctime ctime_r strftime strptime tzset clock_gettime clock_getres gettimeofday times",
        "getrusage ftime timespec_get sleep usleep nanosleep clock_nanosleep thrd_sleep",
        "omp_get_wtime omp_get_wtick",
    ),
    "the environment and the process": _words(
        "getenv secure_getenv setenv unsetenv putenv clearenv getopt getopt_long getopt_long_only",
        "setlocale localeconv newlocale uselocale freelocale getpid getppid getuid geteuid getgid",
        "getegid getlogin getpwuid getpwnam gethostname uname sysconf getpagesize getloadavg",
        "getrlimit setrlimit isatty ttyname umask nice pthread_self pthread_equal thrd_current",
        "thrd_equal sched_getcpu sched_getaffinity get_nprocs get_nprocs_conf omp_get_max_threads",
        "omp_get_num_threads omp_get_num_procs omp_get_thread_num omp_in_parallel",
        "omp_set_num_threads omp_set_dynamic __errno_location backtrace backtrace_symbols",
        "sigemptyset sigfillset sigaddset sigdelset sigismember",
        # They install a function. What `exit` calls runs where nothing is held back; handlers of
        # signals are looked at in `closed`, wherever they are installed.
        "atexit at_quick_exit on_exit signal sigaction",
    ),
    "files": _words(
        "open openat creat close lseek access stat fstat lstat fstatat chmod fchmod chown mkdir",
        "mkdirat rmdir unlink unlinkat link symlink readlink realpath truncate ftruncate opendir",
        "fdopendir readdir rewinddir closedir seekdir telldir dirfd scandir alphasort glob",
        "globfree ftw nftw chdir fchdir getcwd get_current_dir_name utime utimes mmap munmap",
        "madvise",
    ),
    "order": _words("qsort qsort_r bsearch lfind lsearch tsearch tfind tdelete twalk tdestroy"),
    "assertions": _words("abort assert __assert_fail __assert __assert_rtn static_assert"),
    "lists of arguments": _words("fake_va_start fake_va_arg fake_va_copy fake_va_end"),
}
_HARMLESS: frozenset[str] = frozenset().union(*HARMLESS.values())

# Functions that are called by functions of these lists: the positions of the arguments.
CALLS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("qsort qsort_r".split(), (3,)),
    **dict.fromkeys("bsearch lfind lsearch".split(), (4,)),
    **dict.fromkeys("tsearch tfind tdelete".split(), (2,)),
    **dict.fromkeys("twalk tdestroy ftw nftw pthread_once call_once".split(), (1,)),
    "scandir": (2, 3),
    "glob": (2,),
}
# Such an argument is called when a signal comes.
ON_SIGNAL = {"signal": 1, "bsd_signal": 1, "sysv_signal": 1, "sigset": 1}
INSTALLS = frozenset([*ON_SIGNAL, "sigaction"])
SIGNAL_MEMBERS = ("sa_handler", "sa_sigaction")
# The caller's copy of a pointer comes from an argument of the call.
PASSES_ON = _words(
    "memcpy memmove mempcpy memccpy bcopy realloc reallocarray bsearch lfind lsearch tsearch tfind"
)

SETTLES: dict[str, frozenset[str]] = {
    "leaves the program": _words(
        "exit quick_exit err errx verr verrx error error_at_line _exit _Exit execl execle execlp",
        "execv execve execvp",
    ),
    "sends or awaits signals": _words(
        "raise kill killpg pthread_kill sigqueue pause sigsuspend sigwait sigwaitinfo sigtimedwait",
        "alarm setitimer sigprocmask pthread_sigmask",
    ),
    "waits for another program": _words("system popen pclose wait waitpid waitid wait3 wait4"),
    "talks to another program": _words(
        "read write readv writev pread pwrite sendfile splice dprintf vdprintf pipe pipe2 mkfifo",
        "dup dup2 fcntl ioctl select pselect poll ppoll epoll_wait eventfd fsync fdatasync sync",
        "msync socket socketpair bind listen accept accept4 connect shutdown send sendto sendmsg",
        "recv recvfrom recvmsg getsockopt setsockopt getpeername getsockname getaddrinfo",
        "freeaddrinfo getnameinfo gethostbyname syslog openlog closelog shm_open shm_unlink shmget",
        "shmat shmdt shmctl msgget msgsnd msgrcv mq_open mq_send mq_receive",
    ),
    "waits for another thread": _words(
        "pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock",
        "pthread_mutex_timedlock pthread_mutex_unlock pthread_rwlock_init pthread_rwlock_destroy",
        "pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_wrlock",
        "pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_spin_init pthread_spin_destroy",
        "pthread_spin_lock pthread_spin_trylock pthread_spin_unlock pthread_cond_init",
        "pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_signal",
        "pthread_cond_broadcast pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait",
        "pthread_join pthread_detach pthread_once sem_init sem_destroy sem_open sem_close sem_wait",
        "sem_trywait sem_timedwait sem_post sem_getvalue mtx_init mtx_destroy mtx_lock mtx_trylock",
        "mtx_timedlock mtx_unlock cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal",
        "cnd_broadcast thrd_join thrd_detach call_once flock lockf flockfile ftrylockfile",
        "funlockfile sched_yield thrd_yield pthread_yield semget semop semctl omp_init_lock",
        "omp_destroy_lock omp_set_lock omp_unset_lock omp_test_lock",
    ),
}
_SETTLES: frozenset[str] = frozenset().union(*SETTLES.values())

# Each with what the message says of it.
_JUMPS = "jumps between functions"
OPENS: dict[str, frozenset[str]] = {
    _JUMPS: _words(
        "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp getcontext setcontext",
        "makecontext swapcontext __builtin_eh_return __builtin_unwind_init _Unwind_RaiseException",
        "_Unwind_ForcedUnwind _Unwind_Resume",
    ),
    "starts another process": _words(
        "fork vfork clone clone3 posix_spawn posix_spawnp daemon forkpty"
    ),
    "starts or ends a thread": _words(
        "pthread_create pthread_exit pthread_cancel pthread_testcancel pthread_setcancelstate",
        "pthread_setcanceltype pthread_cleanup_push pthread_cleanup_pop thrd_create thrd_exit",
        "timer_create mq_notify aio_read aio_write lio_listio",
    ),
    "orders memory between threads": _words(
        "atomic_thread_fence atomic_signal_fence _mm_mfence _mm_sfence _mm_lfence _mm_pause",
        "syscall futex membarrier",
    ),
    "finds functions that are not in the files given": _words(
        "dlopen dlmopen dlsym dlvsym dlclose clGetExtensionFunctionAddress",
        "clGetExtensionFunctionAddressForPlatform",
    ),
    "calls functions that are not in the text": _words(
        "__builtin_apply __builtin_apply_args __builtin_return __builtin_call_with_static_chain"
    ),
}
_OPENING_NAMES = {name: why for why, names in OPENS.items() for name in names}
_ATOMIC = re.compile(r"(?:__atomic|__sync|__c11_atomic|atomic|__builtin_atomic)_\w+")
ATOMIC = "orders memory between threads"

# Whoever names these can change what the functions above do: the name alone opens.
ANYWHERE: dict[str, str] = {
    "pthread_cancel": "ends threads from outside",
    **dict.fromkeys(
        _words("fopencookie funopen register_printf_function register_printf_specifier"),
        "gives functions of its own to stdio",
    ),
    **dict.fromkeys(
        _words("__malloc_hook __realloc_hook __free_hook __memalign_hook"),
        "gives functions of its own to malloc",
    ),
}

# What headers of the system declare, other than functions, and the language itself.
OBJECTS = _words(
    "NULL stdin stdout stderr errno environ optarg optind opterr optopt __func__ __FUNCTION__",
    "__PRETTY_FUNCTION__ __FILE__ __LINE__ true false EOF signgam timezone daylight tzname",
    "sys_nerr sys_errlist",
    "program_invocation_name program_invocation_short_name",
)

# The compiler's own functions, and other names of the same ones.
_BUILTIN = re.compile(r"__builtin_\w+|_mm\d*_\w+")
_VARIANT = re.compile(r"(?:__builtin_(?:__)?|__isoc\d\d_|__)(\w+?)(?:_chk)?|(\w+)")


def kind_of(name: str) -> Kind:
    """What is known of a function by its name; a definition in a given file goes before."""
    if why_opens(name) and is_on(OPENING):
        return Kind.OPENS
    if name in OPENCL:
        return Kind.OPENCL
    if name in _SETTLES:
        return Kind.SETTLES if is_on(SETTLED) else Kind.HARMLESS
    if plain(name) in _SETTLES:
        return Kind.UNKNOWN  # the macro that settles would not stand in front of it
    if name in _HARMLESS or plain(name) in _HARMLESS or _BUILTIN.fullmatch(name):
        return Kind.HARMLESS
    return Kind.HARMLESS if why_opens(name) else Kind.UNKNOWN


# Libraries that many programs use. They know nothing of OpenCL, start no threads, and call the
# program's functions only on the thread that calls them: a region is settled around their calls,
# but no argument of a kernel is set by them.
_LIBRARIES = re.compile(
    r"(?:png|PNG)_\w+|jpeg_\w+|TIFF\w+|[ED]?Gif\w+"
    r"|gz\w+|(?:de|in)flate\w*|(?:un)?compress2?|crc32|adler32"
)


def is_of_library(name: str) -> bool:
    return _LIBRARIES.fullmatch(name) is not None


def jumps(name: str) -> bool:
    """setjmp, longjmp and their like."""
    return why_opens(name) == _JUMPS


def why_opens(name: str) -> str | None:
    """What such a function does that opens a region; None if it does nothing of the kind."""
    if _ATOMIC.fullmatch(name):
        return ATOMIC
    return _OPENING_NAMES.get(name) or _OPENING_NAMES.get(plain(name))


def plain(name: str) -> str:
    """The function of which `__printf_chk`, `__isoc99_scanf` and `__builtin_puts` are forms."""
    match = _VARIANT.fullmatch(name)
    return (match.group(1) or match.group(2)) if match else name
