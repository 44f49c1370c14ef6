/*
 * What the applications share: balls on a table, steps of time, previews of shots, and
 * pictures.  Functions return what those of the library do.
 */
#ifndef GAME_H
#define GAME_H

#include "pool.h"

typedef struct {
    Table table;
    Balls balls;
    Balls moved; /* between the operations of a step */
} Game;

/* The library must have been started.  More than sixteen balls get a larger table. */
cl_int game_create(Game *game, cl_uint n);
void game_free(Game *game);

/* Puts all balls where a game begins. */
void game_rack(Game *game);

/* Whether nothing rolls; looks at the host's arrays. */
int game_at_rest(const Game *game);

/* So many steps of time. */
cl_int game_run(Game *game, int steps);

/*
 * Where the balls would be after a shot, for the next 0.2 seconds: all balls at the
 * first point of time, all balls at the second ...  The ghost is a game of as many
 * balls, which plays the shot.
 */
enum { GAME_PREVIEW_STEPS = 2000, GAME_PREVIEW_POINTS = 41 };
cl_int game_preview(Game *ghost, Game *game, float angle, float power, cl_float2 *paths);

/* Pictures: rows of pixels, from the top, as indices of colours.  The table from above. */
enum { GAME_WIDTH = 648, GAME_HEIGHT = 348, GAME_COLOURS = 16 };
extern const unsigned char game_colours[GAME_COLOURS][3]; /* red, green, blue */

/* Draws the host's arrays, and over them the paths of a preview. */
void game_draw(const Game *game, unsigned char *picture);
void game_draw_paths(const Game *game, unsigned char *picture, const cl_float2 *paths);

/* The point of the table under a pixel. */
cl_float2 game_point(const Game *game, int x, int y);

#endif
