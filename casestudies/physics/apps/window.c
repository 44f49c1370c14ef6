/*
 * The game in a window.  Aim with the mouse; the wheel, or dragging with the button
 * held, sets the power; lines show the next 0.2 s; space shoots; r racks up again.
 */
#include "game.h"

#include <SDL.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_PER_FRAME = 167 }; /* of 0.1 ms: sixty frames are a second */

static const float most_power = 12, least_power = 0.25f;

typedef struct {
    SDL_Window *window;
    SDL_Surface *picture; /* indices of colours, as game_draw writes them */
    Game game, ghost;
    cl_float2 *paths;
    float angle, power;
    int aimed_anew; /* the paths are out of date */
    int shoot, rolling, closed;
} Play;

static int complain(const char *what)
{
    fprintf(stderr, "window: %s\n", what);
    return 0;
}

/* ---- Start and end ---- */

static int open_window(Play *play)
{
    SDL_Color colours[GAME_COLOURS];

    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return complain(SDL_GetError());
    play->window = SDL_CreateWindow("pool", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                    GAME_WIDTH, GAME_HEIGHT, 0);
    play->picture = SDL_CreateRGBSurfaceWithFormat(0, GAME_WIDTH, GAME_HEIGHT, 8,
                                                   SDL_PIXELFORMAT_INDEX8);
    if (play->window == NULL || play->picture == NULL)
        return complain(SDL_GetError());
    for (int i = 0; i < GAME_COLOURS; i++) {
        colours[i].r = game_colours[i][0];
        colours[i].g = game_colours[i][1];
        colours[i].b = game_colours[i][2];
        colours[i].a = 255;
    }
    if (SDL_SetPaletteColors(play->picture->format->palette, colours, 0, GAME_COLOURS) != 0
        || play->picture->pitch != GAME_WIDTH)
        return complain("the picture cannot be made");
    return 1;
}

static int begin(Play *play)
{
    cl_int status;

    memset(play, 0, sizeof *play);
    play->power = 5;
    play->aimed_anew = 1;
    if (!open_window(play))
        return 0;
    status = pool_init();
    if (status == POOL_OK)
        status = game_create(&play->game, 16);
    if (status == POOL_OK)
        status = game_create(&play->ghost, 16);
    play->paths = calloc((size_t)GAME_PREVIEW_POINTS * 16, sizeof *play->paths);
    if (status != POOL_OK || play->paths == NULL)
        return complain("the game cannot be set up");
    return 1;
}

static void end(Play *play)
{
    game_free(&play->game);
    game_free(&play->ghost);
    free(play->paths);
    pool_shutdown();
    SDL_FreeSurface(play->picture);
    SDL_DestroyWindow(play->window);
    SDL_Quit();
}

/* ---- What the player does ---- */

static void change_power(Play *play, float by)
{
    play->power = fminf(fmaxf(play->power + by, least_power), most_power);
    play->aimed_anew = 1;
}

static void mouse_moved(Play *play, const SDL_MouseMotionEvent *motion)
{
    const cl_float2 cue_ball = play->game.balls.position[0];
    const cl_float2 point = game_point(&play->game, motion->x, motion->y);

    if (motion->state & SDL_BUTTON_LMASK)
        change_power(play, -0.05f * (float)motion->yrel);
    else
        play->angle = atan2f(point.s[1] - cue_ball.s[1], point.s[0] - cue_ball.s[0]);
    play->aimed_anew = 1;
}

static void key_pressed(Play *play, SDL_Keycode key)
{
    if (key == SDLK_SPACE)
        play->shoot = 1;
    if (key == SDLK_r) {
        game_rack(&play->game);
        play->rolling = 0;
        play->aimed_anew = 1;
    }
    if (key == SDLK_ESCAPE)
        play->closed = 1;
}

static void take_events(Play *play)
{
    SDL_Event event;

    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT)
            play->closed = 1;
        else if (event.type == SDL_KEYDOWN)
            key_pressed(play, event.key.keysym.sym);
        else if (event.type == SDL_MOUSEMOTION)
            mouse_moved(play, &event.motion);
        else if (event.type == SDL_MOUSEWHEEL)
            change_power(play, 0.25f * (float)event.wheel.y);
    }
}

/* ---- Time and pictures ---- */

/* A pocketed cue ball comes back to where the game began, once nothing rolls any more. */
static void come_to_rest(Play *play)
{
    Balls *balls = &play->game.balls;

    play->rolling = 0;
    play->shoot = 0;
    play->aimed_anew = 1;
    if (!balls->in_play[0]) {
        balls->position[0].s[0] = -play->game.table.half.s[0] / 2;
        balls->position[0].s[1] = 0;
        balls->in_play[0] = 1;
        pool_changed(balls);
    }
}

static cl_int advance(Play *play)
{
    cl_int status = POOL_OK;

    if (play->rolling) {
        status = game_run(&play->game, STEPS_PER_FRAME);
        if (status == POOL_OK)
            status = pool_on_host(&play->game.balls);
        if (status == POOL_OK && game_at_rest(&play->game))
            come_to_rest(play);
    } else if (play->shoot) {
        status = pool_impulse(&play->game.balls, play->angle, play->power);
        play->shoot = 0;
        play->rolling = 1;
    } else if (play->aimed_anew) {
        status = game_preview(&play->ghost, &play->game, play->angle, play->power, play->paths);
        play->aimed_anew = 0;
    }
    return status;
}

static int show(Play *play)
{
    SDL_Surface *surface = SDL_GetWindowSurface(play->window);
    unsigned char *picture = play->picture->pixels;
    char title[80];

    game_draw(&play->game, picture);
    if (!play->rolling)
        game_draw_paths(&play->game, picture, play->paths);
    snprintf(title, sizeof title, "pool: %.2f m/s, space shoots", (double)play->power);
    SDL_SetWindowTitle(play->window, title);
    if (surface == NULL || SDL_BlitSurface(play->picture, NULL, surface, NULL) != 0
        || SDL_UpdateWindowSurface(play->window) != 0)
        return complain(SDL_GetError());
    return 1;
}

/* Plays until the window is closed, or for so many frames if that is not 0. */
static int run(Play *play, int frames)
{
    for (int frame = 0; !play->closed && (frames == 0 || frame < frames); frame++) {
        const Uint32 began = SDL_GetTicks();

        take_events(play);
        if (frames > 0 && frame == frames / 2)
            play->shoot = 1; /* nobody is there to do it */
        if (advance(play) != POOL_OK)
            return complain("the device fails");
        if (!show(play))
            return 0;
        const Uint32 took = SDL_GetTicks() - began;
        if (took < 16)
            SDL_Delay(16 - took);
    }
    return 1;
}

/* A whole number between 1 and INT_MAX, or 0. */
static int positive(const char *text)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value > 0 && value <= INT_MAX
               ? (int)value : 0;
}

int main(int argc, char **argv)
{
    const int limited = argc == 3 && strcmp(argv[1], "--frames") == 0;
    const int frames = limited ? positive(argv[2]) : 0;
    Play play;

    if (argc > 1 && frames == 0) {
        fprintf(stderr, "usage: %s [--frames N]\n", argv[0]);
        return EXIT_FAILURE;
    }
    const int fine = begin(&play) && run(&play, frames);
    end(&play);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
