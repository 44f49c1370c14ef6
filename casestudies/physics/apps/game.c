/* A game of pool: its steps of time, its previews and its pictures. */
#include "game.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first failing call ends the function that made it. */
#define TRY(call)                      \
    do {                               \
        cl_int status_ = (call);       \
        if (status_ != CL_SUCCESS)     \
            return status_;            \
    } while (0)

/* ---- Balls on a table ---- */

static cl_int create(Game *game, cl_uint n)
{
    /* Sixteen balls have a table of eight feet, and more balls as much room each. */
    const float scale = n > 16 ? sqrtf((float)n / 16) : 1;

    TRY(pool_create_table(&game->table, scale));
    TRY(pool_create(&game->balls, n));
    TRY(pool_create(&game->moved, n));
    game_rack(game);
    return POOL_OK;
}

cl_int game_create(Game *game, cl_uint n)
{
    cl_int status;

    memset(game, 0, sizeof *game);
    status = create(game, n);
    if (status != POOL_OK)
        game_free(game);
    return status;
}

void game_free(Game *game)
{
    pool_free_table(&game->table);
    pool_free(&game->balls);
    pool_free(&game->moved);
}

void game_rack(Game *game)
{
    Balls *balls = &game->balls;
    const float apart = 2 * balls->radius + 1e-4f; /* balls of a rack all but touch */
    const float foot = game->table.half.s[0] / 2;

    for (cl_uint i = 0, row = 0, place = 0; i < balls->n; i++) {
        balls->velocity[i].s[0] = balls->velocity[i].s[1] = 0;
        balls->in_play[i] = 1;
        if (i == 0) {
            balls->position[i].s[0] = -foot;
            balls->position[i].s[1] = 0;
            continue;
        }
        balls->position[i].s[0] = foot + (float)row * apart * 0.8660254f;
        balls->position[i].s[1] = ((float)place - (float)row / 2) * apart;
        if (place++ == row) {
            row++;
            place = 0;
        }
    }
    pool_changed(balls);
}

int game_at_rest(const Game *game)
{
    const Balls *balls = &game->balls;

    for (cl_uint i = 0; i < balls->n; i++) {
        if (balls->velocity[i].s[0] != 0 || balls->velocity[i].s[1] != 0)
            return 0;
    }
    return 1;
}

/* ---- Time ---- */

cl_int game_run(Game *game, int steps)
{
    for (int step = 0; step < steps; step++) {
#pragma kfuse(game)
        {
            TRY(pool_move(&game->moved, &game->balls, POOL_TIME_STEP));
            TRY(pool_collide_balls(&game->balls, &game->moved, POOL_TIME_STEP));
            TRY(pool_collide_pockets(&game->balls, &game->table));
            TRY(pool_collide_walls(&game->balls, &game->table));
        }
    }
    return POOL_OK;
}

cl_int game_preview(Game *ghost, Game *game, float angle, float power, cl_float2 *paths)
{
    const size_t n = game->balls.n;

    TRY(pool_copy(&ghost->balls, &game->balls));
    TRY(pool_impulse(&ghost->balls, angle, power));
    for (int point = 0; point < GAME_PREVIEW_POINTS; point++) {
        if (point > 0)
            TRY(game_run(ghost, GAME_PREVIEW_STEPS / (GAME_PREVIEW_POINTS - 1)));
        TRY(pool_on_host(&ghost->balls));
        memcpy(paths + point * n, ghost->balls.position, n * sizeof *paths);
    }
    return POOL_OK;
}

/* ---- Pictures ---- */

enum { RIM = 24 }; /* of wood around the cloth, in pixels */

enum { CLOTH, WOOD, HOLE, LINE, WHITE, BALL }; /* BALL: the first of eight */

const unsigned char game_colours[GAME_COLOURS][3] = {
    {20, 110, 70},  {92, 52, 26},   {12, 12, 12},   {160, 210, 170},
    {245, 245, 235}, {235, 190, 40}, {40, 80, 190},  {205, 40, 35},
    {100, 50, 140}, {240, 120, 30}, {30, 150, 110}, {130, 25, 40},
    {35, 35, 40},   {0, 0, 0},      {0, 0, 0},      {0, 0, 0},
};

static float pixels_per_metre(const Game *game)
{
    return (GAME_WIDTH - 2 * RIM) / (2 * game->table.half.s[0]);
}

/* Where a point of the table is in the picture, and the other way round. */
static float column(const Game *game, float x)
{
    return GAME_WIDTH / 2 + x * pixels_per_metre(game);
}

static float row(const Game *game, float y)
{
    return GAME_HEIGHT / 2 - y * pixels_per_metre(game);
}

cl_float2 game_point(const Game *game, int x, int y)
{
    cl_float2 point;

    point.s[0] = ((float)x - GAME_WIDTH / 2) / pixels_per_metre(game);
    point.s[1] = (GAME_HEIGHT / 2 - (float)y) / pixels_per_metre(game);
    return point;
}

static void dot(unsigned char *picture, int x, int y, int colour)
{
    if (x >= 0 && x < GAME_WIDTH && y >= 0 && y < GAME_HEIGHT)
        picture[y * GAME_WIDTH + x] = (unsigned char)colour;
}

/* A disc around (x, y); what is more than band away from the middle line is white. */
static void disc(unsigned char *picture, float x, float y, float radius, float band, int colour)
{
    const int reach = (int)radius + 1;

    for (int v = (int)y - reach; v <= (int)y + reach; v++) {
        for (int u = (int)x - reach; u <= (int)x + reach; u++) {
            const float across = (float)u + 0.5f - x, down = (float)v + 0.5f - y;
            if (across * across + down * down <= radius * radius)
                dot(picture, u, v, fabsf(down) <= band ? colour : WHITE);
        }
    }
}

static void segment(const Game *game, unsigned char *picture, cl_float2 from, cl_float2 to)
{
    const float x = column(game, from.s[0]), y = row(game, from.s[1]);
    const float across = column(game, to.s[0]) - x, down = row(game, to.s[1]) - y;
    const int dots = (int)(fabsf(across) + fabsf(down)) + 1;

    for (int i = 0; i <= dots; i++) {
        const float part = (float)i / (float)dots;
        dot(picture, (int)(x + part * across), (int)(y + part * down), LINE);
    }
}

void game_draw_paths(const Game *game, unsigned char *picture, const cl_float2 *paths)
{
    const size_t n = game->balls.n;

    for (size_t point = 1; point < GAME_PREVIEW_POINTS; point++) {
        for (size_t i = 0; i < n; i++) {
            if (game->balls.in_play[i])
                segment(game, picture, paths[(point - 1) * n + i], paths[point * n + i]);
        }
    }
}

void game_draw(const Game *game, unsigned char *picture)
{
    const Table *table = &game->table;
    const Balls *balls = &game->balls;
    const float scale = pixels_per_metre(game);

    for (int y = 0; y < GAME_HEIGHT; y++) {
        for (int x = 0; x < GAME_WIDTH; x++) {
            const cl_float2 p = game_point(game, x, y);
            const int inside = fabsf(p.s[0]) < table->half.s[0] && fabsf(p.s[1]) < table->half.s[1];
            dot(picture, x, y, inside ? CLOTH : WOOD);
        }
    }
    for (int i = 0; i < POOL_POCKETS; i++) {
        const cl_float2 p = table->pocket[i];
        disc(picture, column(game, p.s[0]), row(game, p.s[1]), table->pocket_radius[i] * scale,
             (float)GAME_HEIGHT, HOLE);
    }
    for (cl_uint i = 0; i < balls->n; i++) {
        const float radius = balls->radius * scale;
        const int striped = i > 8 && (i - 1) / 8 % 2 == 1;
        const int colour = i == 0 ? WHITE : BALL + (int)((i - 1) % 8);
        if (balls->in_play[i])
            disc(picture, column(game, balls->position[i].s[0]), row(game, balls->position[i].s[1]),
                 radius, striped ? radius / 2 : radius, colour);
    }
}
