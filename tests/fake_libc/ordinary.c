/* Ordinary C that leans on the rest of the library. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <iso646.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <tgmath.h>
#include <threads.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

struct record { char name[16]; alignas(16) double values[4]; };
static_assert(offsetof(struct record, values) == 16, "values are aligned");
static_assert(sizeof(int64_t) == 8 && INT64_MAX > INT32_MAX && CHAR_BIT == 8, "integers");

static jmp_buf again;
static volatile sig_atomic_t stop;
static atomic_int counter = ATOMIC_VAR_INIT(0);
static thread_local int mine;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static once_flag once = ONCE_FLAG_INIT;

static void on_signal(int number) { stop = number; }
static void prepare(void) { mine = 1; }

static double sum(int n, ...)
{
    va_list list, copy;
    double total = 0;
    va_start(list, n);
    va_copy(copy, list);
    for (int i = 0; i < n; i++)
        total += va_arg(list, double);
    total += va_arg(copy, double);
    va_end(copy);
    va_end(list);
    return total;
}

static void report(const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    syslog(LOG_INFO, "%s", text);
}

static void *work(void *data)
{
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&counter, *(int *)data);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int visit(const char *path, const struct stat *about, int kind)
{
    return kind == FTW_F and S_ISREG(about->st_mode) and fnmatch("*.cl", path, FNM_PATHNAME) == 0;
}

static noreturn void leave(int status) { _exit(status); }

static int files(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 or fstat(fd, &about) != 0)
        err(1, "%s", path);
    void *mapped = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED)
        errx(2, "cannot map %jd bytes", (intmax_t)about.st_size);
    munmap(mapped, (size_t)about.st_size);
    DIR *folder = opendir(dirname(strdupa(path)));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        printf("%s %lu\n", entry->d_name, (unsigned long)entry->d_ino);
    closedir(folder);
    glob_t found;
    regex_t expression;
    regmatch_t matches[2];
    glob("*.cl", GLOB_NOSORT, NULL, &found);
    regcomp(&expression, "(a+)b", REG_EXTENDED);
    regexec(&expression, path, 2, matches, 0);
    regfree(&expression);
    globfree(&found);
    return close(fd) + ftw(".", visit, 8) + matches[1].rm_so;
}

static void waiting(void)
{
    fd_set set;
    struct timeval limit = { .tv_sec = 1 }, now, difference;
    struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN } };
    struct winsize window;
    struct termios terminal;
    struct rusage usage;
    FD_ZERO(&set);
    FD_SET(STDIN_FILENO, &set);
    if (select(1, &set, NULL, NULL, &limit) > 0 && FD_ISSET(STDIN_FILENO, &set))
        poll(fds, 1, 10);
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
    tcgetattr(STDIN_FILENO, &terminal);
    terminal.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    terminal.c_cc[VMIN] = 1;
    gettimeofday(&now, NULL);
    timersub(&now, &limit, &difference);
    getrusage(RUSAGE_SELF, &usage);
    report("%hu columns, %ld KiB, %ld s", window.ws_col, usage.ru_maxrss, (long)difference.tv_sec);
}

static void network(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(80) };
    int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (connect(s, (struct sockaddr *)&address, sizeof address) == 0)
        send(s, "x", 1, MSG_NOSIGNAL);
    shutdown(s, SHUT_RDWR);
}

static double numbers(void)
{
    double complex z = 1.0 + 2.0 * I;
    double values[] = { 3, 1, DBL_MAX, -HUGE_VAL, NAN };
    char *end;
    long long parsed = strtoll("12", &end, 10);
    uint64_t big = UINT64_C(1) << 40;
    wchar_t wide[8];
    char16_t c16;
    mbstate_t state = { 0 };
    qsort(values, 3, sizeof *values, by_value);
    fesetround(FE_TOWARDZERO);
    mbrtoc16(&c16, "a", 1, &state);
    swprintf(wide, 8, L"%d", (int)wcslen(L"abc") + (iswalpha(L'x') ? 1 : 0));
    printf("%" PRIu64 " %" PRId32 " %lld %s\n", big, INT32_C(5), parsed, setlocale(LC_ALL, ""));
    return cabs(z) + creal(z) + fma(values[0], M_PI, sqrtl(2.0L)) + (isnan(values[2]) ? 1 : 0)
        + (isfinite(values[0]) ? FLT_EPSILON : INFINITY) + fmaxf(1.0f, 2.0f);
}

int main(int argc, char **argv)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    pthread_t thread;
    sem_t semaphore;
    cpu_set_t cpus;
    void *frames[8];
    int one = 1, status;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    signal(SIGTERM, SIG_IGN);
    if (setjmp(again) == 0 and argc > 99)
        longjmp(again, 1);
    call_once(&once, prepare);
    sem_init(&semaphore, 0, 1);
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    pthread_create(&thread, NULL, work, &one);
    pthread_join(thread, NULL);

    pid_t child = fork();
    if (child == 0)
        leave(files(argv[0]));
    waitpid(child, &status, 0);
    waiting();
    network();
    struct passwd *user = getpwuid(getuid());
    void *library = dlopen("libOpenCL.so", RTLD_NOW);
    backtrace_symbols_fd(frames, backtrace(frames, 8), STDERR_FILENO);
    printf("%s %p %d %g\n", user->pw_name, library, atomic_load(&counter), numbers() + sum(2, 1.0, 2.0));
    return WIFEXITED(status) && !stop ? toupper(mine) : EXIT_FAILURE;
}
