/*
 * A shot of pool: computes it, and writes what is seen as an animated GIF, what is
 * computed as raw binary, or how long it took.
 */
#define _GNU_SOURCE /* getopt_long, clock_gettime */

#include "game.h"

#include <errno.h>
#include <getopt.h>
#include <gif_lib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    float angle, power; /* --shot */
    int frames;         /* --frames */
    int steps;          /* --steps, from frame to frame */
    int preview;        /* --preview */
    int balls;          /* --balls */
    int timed_steps;    /* -n, or 0 */
    int repeats;        /* -r */
    const char *gif;    /* -o, or NULL */
    const char *dump;   /* -d, or NULL */
} Options;

static const char usage[] =
    "usage: %s [options]\n"
    "  --shot ANGLE,POWER  in degrees and metres per second (default 1,6)\n"
    "  --frames N          how many pictures or states (default 100)\n"
    "  --steps N           steps of 0.1 ms from one to the next (default 400)\n"
    "  --preview           draw the next 0.2 s of the shot into the first picture\n"
    "  --balls N           how many balls (default 16)\n"
    "  -o FILE             write the pictures as an animated GIF\n"
    "  -d FILE             write the states, and paths of the preview, as raw binary\n"
    "  -n STEPS            measure that many steps instead\n"
    "  -r REPEATS          so often, and print the median time (default 5)\n";

static int complain(const char *what, cl_int status)
{
    fprintf(stderr, "pool: %s failed with status %d\n", what, (int)status);
    return EXIT_FAILURE;
}

/* ---- Options ---- */

/* A whole number between 1 and INT_MAX, or 0. */
static int positive(const char *text)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value > 0 && value <= INT_MAX
               ? (int)value : 0;
}

static int read_shot(Options *options, const char *text)
{
    const float degrees = 0.017453292f;
    char *end;

    options->angle = degrees * strtof(text, &end);
    if (end == text || *end != ',')
        return 0;
    text = end + 1;
    options->power = strtof(text, &end);
    return end != text && *end == '\0' && options->power > 0 && options->power <= 20;
}

static int read_options(Options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"shot", required_argument, NULL, 's'},  {"frames", required_argument, NULL, 'f'},
        {"steps", required_argument, NULL, 't'}, {"preview", no_argument, NULL, 'p'},
        {"balls", required_argument, NULL, 'b'}, {NULL, 0, NULL, 0},
    };
    int option, fine = 1;

    while (fine && (option = getopt_long(argc, argv, "o:d:n:r:", names, NULL)) != -1) {
        switch (option) {
        case 's': fine = read_shot(options, optarg); break;
        case 'f': fine = options->frames = positive(optarg); break;
        case 't': fine = options->steps = positive(optarg); break;
        case 'b': fine = options->balls = positive(optarg); break;
        case 'n': fine = options->timed_steps = positive(optarg); break;
        case 'r': fine = options->repeats = positive(optarg); break;
        case 'p': options->preview = 1; break;
        case 'o': options->gif = optarg; break;
        case 'd': options->dump = optarg; break;
        default: fine = 0;
        }
    }
    return fine && optind == argc;
}

/* ---- Pictures ---- */

/* Begins a GIF that starts again when it ends. */
static GifFileType *open_gif(const char *path)
{
    GifColorType colours[GAME_COLOURS];
    const GifByteType forever[] = {1, 0, 0};
    int error = 0, fine;
    GifFileType *gif = EGifOpenFileName(path, false, &error);

    if (gif == NULL) {
        fprintf(stderr, "%s: %s\n", path, GifErrorString(error));
        return NULL;
    }
    for (int i = 0; i < GAME_COLOURS; i++) {
        colours[i].Red = game_colours[i][0];
        colours[i].Green = game_colours[i][1];
        colours[i].Blue = game_colours[i][2];
    }
    EGifSetGifVersion(gif, true);
    ColorMapObject *map = GifMakeMapObject(GAME_COLOURS, colours);
    fine = map != NULL && EGifPutScreenDesc(gif, GAME_WIDTH, GAME_HEIGHT, 8, 0, map) == GIF_OK
        && EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK
        && EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK
        && EGifPutExtensionBlock(gif, sizeof forever, forever) == GIF_OK
        && EGifPutExtensionTrailer(gif) == GIF_OK;
    GifFreeMapObject(map);
    if (!fine) {
        fprintf(stderr, "%s: cannot be written\n", path);
        EGifCloseFile(gif, &error);
        return NULL;
    }
    return gif;
}

/* Adds a picture that is shown for so many hundredths of a second. */
static int add_picture(GifFileType *gif, unsigned char *picture, int delay)
{
    GraphicsControlBlock control = {DISPOSE_DO_NOT, false, delay, NO_TRANSPARENT_COLOR};
    GifByteType extension[4];

    EGifGCBToExtension(&control, extension);
    if (EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof extension, extension) != GIF_OK
        || EGifPutImageDesc(gif, 0, 0, GAME_WIDTH, GAME_HEIGHT, false, NULL) != GIF_OK)
        return 0;
    for (int y = 0; y < GAME_HEIGHT; y++) {
        if (EGifPutLine(gif, picture + y * GAME_WIDTH, GAME_WIDTH) != GIF_OK)
            return 0;
    }
    return 1;
}

/* ---- A shot ---- */

static cl_int save(FILE *dump, const Balls *balls)
{
    const size_t n = balls->n;

    return fwrite(balls->position, sizeof *balls->position, n, dump) == n
               && fwrite(balls->velocity, sizeof *balls->velocity, n, dump) == n
               && fwrite(balls->in_play, sizeof *balls->in_play, n, dump) == n
               ? POOL_OK : POOL_FILE_ERROR;
}

static cl_int preview(Game *game, const Options *options, cl_float2 *paths)
{
    Game ghost;
    cl_int status = game_create(&ghost, game->balls.n);

    if (status == POOL_OK) {
        status = game_preview(&ghost, game, options->angle, options->power, paths);
        game_free(&ghost);
    }
    return status;
}

/* Computes the shot and writes it to what is open. */
static cl_int play(Game *game, const Options *options, GifFileType *gif, FILE *dump,
                   unsigned char *picture, cl_float2 *paths)
{
    const size_t points = (size_t)GAME_PREVIEW_POINTS * game->balls.n;
    const int delay = options->steps > 250 ? (options->steps + 50) / 100 : 2;
    cl_int status = POOL_OK;

    if (options->preview) {
        status = preview(game, options, paths);
        if (status == POOL_OK && dump != NULL
            && fwrite(paths, sizeof *paths, points, dump) != points)
            status = POOL_FILE_ERROR;
    }
    for (int frame = 0; status == POOL_OK && frame < options->frames; frame++) {
        if (frame == 1)
            status = pool_impulse(&game->balls, options->angle, options->power);
        if (frame > 0 && status == POOL_OK)
            status = game_run(game, options->steps);
        if (status == POOL_OK)
            status = pool_on_host(&game->balls);
        if (dump != NULL && status == POOL_OK)
            status = save(dump, &game->balls);
        if (gif != NULL && status == POOL_OK) {
            const int paths_shown = options->preview && frame == 0;
            game_draw(game, picture);
            if (paths_shown)
                game_draw_paths(game, picture, paths);
            if (!add_picture(gif, picture, paths_shown ? 150 : delay))
                status = POOL_FILE_ERROR;
        }
    }
    return status;
}

static int play_into_files(Game *game, const Options *options)
{
    unsigned char *picture = malloc(GAME_WIDTH * GAME_HEIGHT);
    cl_float2 *paths = calloc((size_t)GAME_PREVIEW_POINTS * game->balls.n, sizeof *paths);
    GifFileType *gif = options->gif != NULL ? open_gif(options->gif) : NULL;
    FILE *dump = options->dump != NULL ? fopen(options->dump, "wb") : NULL;
    cl_int status = POOL_NO_MEMORY;
    int error;

    if ((options->gif != NULL && gif == NULL) || (options->dump != NULL && dump == NULL))
        status = POOL_FILE_ERROR;
    else if (picture != NULL && paths != NULL)
        status = play(game, options, gif, dump, picture, paths);
    if (gif != NULL && EGifCloseFile(gif, &error) != GIF_OK && status == POOL_OK)
        status = POOL_FILE_ERROR;
    if (dump != NULL && fclose(dump) != 0 && status == POOL_OK)
        status = POOL_FILE_ERROR;
    free(picture);
    free(paths);
    return status == POOL_OK ? EXIT_SUCCESS : complain("the shot", status);
}

/* ---- Time ---- */

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The same shot from the same rack, each time. */
static cl_int one_repetition(Game *game, const Options *options, double *time)
{
    cl_int status;

    game_rack(game);
    status = pool_impulse(&game->balls, options->angle, options->power);
    if (status == POOL_OK)
        status = game_run(game, 1); /* what is done only once */
    if (status == POOL_OK)
        status = pool_finish();
    const double started = now_ms();
    if (status == POOL_OK)
        status = game_run(game, options->timed_steps);
    if (status == POOL_OK)
        status = pool_finish();
    *time = now_ms() - started;
    return status;
}

static int measure(Game *game, const Options *options)
{
    const size_t repeats = (size_t)options->repeats;
    double *times = calloc(repeats, sizeof *times);
    cl_int status = times != NULL ? POOL_OK : POOL_NO_MEMORY;

    for (size_t i = 0; i < repeats && status == POOL_OK; i++)
        status = one_repetition(game, options, &times[i]);
    if (status == POOL_OK) {
        qsort(times, repeats, sizeof *times, ascending);
        printf("time_ms: %.6f\n", times[repeats / 2]);
    }
    free(times);
    return status == POOL_OK ? EXIT_SUCCESS : complain("the measurement", status);
}

int main(int argc, char **argv)
{
    Options options = {
        .angle = 0.017453292f, .power = 6, .frames = 100, .steps = 400, .balls = 16, .repeats = 5,
    };
    Game game;
    cl_int status;

    if (!read_options(&options, argc, argv)) {
        fprintf(stderr, usage, argv[0]);
        return EXIT_FAILURE;
    }
    status = pool_init();
    if (status != POOL_OK)
        return complain("the start of the library", status);
    status = game_create(&game, (cl_uint)options.balls);
    if (status != POOL_OK) {
        pool_shutdown();
        return complain("the table", status);
    }
    const int result = options.timed_steps > 0 ? measure(&game, &options)
                                               : play_into_files(&game, &options);
    game_free(&game);
    pool_shutdown();
    return result;
}
