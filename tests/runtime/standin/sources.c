/* What stands in a program's text: its kernels and their parameters. */
#include "standin.h"

#include <ctype.h>

const struct number_types number_types[] = {
    {"char", 1, INTEGER}, {"uchar", 1, INTEGER}, {"short", 2, INTEGER}, {"ushort", 2, INTEGER},
    {"int", 4, INTEGER}, {"uint", 4, INTEGER}, {"unsigned", 4, INTEGER}, {"bool", 1, INTEGER},
    {"long", 8, INTEGER}, {"ulong", 8, INTEGER}, {"size_t", 8, INTEGER},
    {"float", 4, FLOAT}, {"double", 8, DOUBLE}, {NULL, 0, INTEGER}};

size_t type_index(const char *name)
{
    size_t i = 0;
    while (number_types[i].name != NULL && strcmp(number_types[i].name, name) != 0)
        i++;
    return i;
}

/* The same text with blanks in place of comments and of lines for the preprocessor. */
char *without_comments(const char *source)
{
    char *text = strdup(source);
    bool line_begins = true;
    for (char *c = text; *c != '\0'; c++) {
        const char *stop_at = NULL;
        if (c[0] == '/' && c[1] == '*')
            stop_at = "*/";
        else if ((c[0] == '/' && c[1] == '/') || (line_begins && c[0] == '#'))
            stop_at = "\n";
        if (stop_at != NULL) {
            char *last = strstr(c + 1, stop_at);
            char *behind = last == NULL ? c + strlen(c) : last + (*stop_at == '*' ? 2 : 0);
            for (; c < behind; c++)
                *c = *c == '\n' ? '\n' : ' ';
            c--;
        }
        line_begins = *c == '\n' || (line_begins && isspace((unsigned char)*c));
    }
    return text;
}

const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The identifier there, or "" and the same place. */
const char *read_word(const char *at, char word[NAME_LENGTH])
{
    size_t length = 0;
    at = skip_blanks(at);
    if (!isdigit((unsigned char)*at))
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
    snprintf(word, NAME_LENGTH, "%.*s", (int)length, at);
    return at + length;
}

static bool is_one_of(const char *word, const char *words)
{
    const char *found = strstr(words, word);
    size_t length = strlen(word);
    return found != NULL && length > 0 && found[length] == ' ' &&
           (found == words || found[-1] == ' ');
}

static void read_parameter(const char *at, const char *behind, parameter *to)
{
    char word[NAME_LENGTH];
    memset(to, 0, sizeof *to);
    while (at < behind) {
        at = read_word(at, word);
        if (is_one_of(word, "local __local "))
            to->is_local = true;
        else if (is_one_of(word, "constant __constant "))
            to->is_constant = to->is_memory = true;
        else if (is_one_of(word, "global __global "))
            to->is_memory = true;
        else if (is_one_of(word, "pipe "))
            to->is_pipe = to->is_memory = true;
        else if (is_one_of(word, "const "))
            to->is_const = true;
        else if (word[0] != '\0' && !is_one_of(word, "restrict volatile read_only write_only "
                                                     "read_write __read_only __write_only ")) {
            if (to->type[0] == '\0')
                memcpy(to->type, word, sizeof word);
            else
                memcpy(to->name, word, sizeof word);
        }
        if (word[0] == '\0')
            at = skip_blanks(at) + 1; /* a star or a bracket */
    }
    to->is_image = strncmp(to->type, "image", 5) == 0;
    to->is_sampler = strcmp(to->type, "sampler_t") == 0;
    to->is_memory = to->is_memory || to->is_image;
    to->size = number_types[type_index(to->type)].size;
}

static const char *read_parameters(const char *at, kernel_text *kernel)
{
    for (;;) {
        const char *behind = at + strcspn(at, ",)");
        const char *first = skip_blanks(at);
        bool is_empty = first == behind || (strncmp(first, "void", 4) == 0 &&
                                            skip_blanks(first + 4) == behind);
        if (!is_empty && kernel->count < MOST_ARGUMENTS)
            read_parameter(at, behind, &kernel->parameters[kernel->count++]);
        if (*behind != ',')
            return *behind == ')' ? behind + 1 : behind;
        at = behind + 1;
    }
}

size_t find_kernels(const char *text, kernel_text *kernels, size_t most)
{
    size_t count = 0;
    char word[NAME_LENGTH];
    for (const char *at = text; *at != '\0' && count < most;) {
        at = read_word(at, word);
        if (word[0] == '\0') {
            at += *at != '\0';
            continue;
        }
        if (!is_one_of(word, "kernel __kernel "))
            continue;
        const char *next = at;
        while ((next = read_word(next, word)), strncmp(word, "__attribute__", 13) == 0) {
            next = strstr(next, "))");
            next = next == NULL ? at : next + 2;
        }
        if (strcmp(word, "void") != 0)
            continue;
        next = skip_blanks(read_word(next, word));
        if (*next != '(')
            continue;
        kernel_text *found = &kernels[count++];
        memset(found, 0, sizeof *found);
        memcpy(found->name, word, sizeof word);
        found->body = at = skip_blanks(read_parameters(next + 1, found));
    }
    return count;
}
