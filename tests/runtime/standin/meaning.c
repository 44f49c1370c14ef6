/* The kernels' language: a small part of OpenCL C, run item by item straight from its text.
   Numbers are long, float (each operation rounds) or double; memory is reached by
   `parameter[index]` only, and each index is checked. There is no preprocessor and no barrier. */
#include "standin.h"

#include <math.h>

typedef struct number {
    number_type type;
    long long i;
    double f;
} number;

typedef struct variable {
    char name[NAME_LENGTH];
    char type[NAME_LENGTH];
    number value;
    unsigned char *bytes; /* of memory; else NULL */
    size_t size, element;
} variable;

typedef struct run {
    const char *at;
    const kernel_text *kernel;
    const item *item;
    bool running; /* else the text is only stepped over */
    bool returned;
    size_t count;
    variable variables[128];
} run;

/* ---- Numbers ---------------------------------------------------------------------------- */

static number whole(long long i)
{
    return (number){INTEGER, i, 0};
}

static double as_double(number n)
{
    return n.type == INTEGER ? (double)n.i : n.f;
}

static number converted(number n, const char *type)
{
    size_t index = type_index(type);
    if (number_types[index].type == FLOAT)
        return (number){FLOAT, 0, n.type == INTEGER ? (float)n.i : (float)n.f};
    if (number_types[index].type == DOUBLE)
        return (number){DOUBLE, 0, as_double(n)};
    long long i = n.type == INTEGER ? n.i : (long long)n.f;
    switch (number_types[index].name == NULL ? 8 : number_types[index].size) {
    case 1: return whole(type[0] == 'u' ? (cl_uchar)i : (cl_char)i);
    case 2: return whole(type[0] == 'u' ? (cl_ushort)i : (cl_short)i);
    case 4: return whole(type[0] == 'u' ? (long long)(cl_uint)i : (cl_int)i);
    default: return whole(i);
    }
}

static number load(const char *type, const unsigned char *from, size_t size)
{
    float f;
    double d;
    unsigned long long bits = 0;
    if (number_types[type_index(type)].type == FLOAT) {
        memcpy(&f, from, sizeof f);
        return (number){FLOAT, 0, f};
    }
    if (number_types[type_index(type)].type == DOUBLE) {
        memcpy(&d, from, sizeof d);
        return (number){DOUBLE, 0, d};
    }
    memcpy(&bits, from, size);
    return converted(whole((long long)bits), type);
}

static void store(const char *type, unsigned char *to, size_t size, number value)
{
    number n = converted(value, type);
    float f = (float)n.f;
    if (n.type == FLOAT)
        memcpy(to, &f, sizeof f);
    else if (n.type == DOUBLE)
        memcpy(to, &n.f, sizeof n.f);
    else
        memcpy(to, &n.i, size);
}

static number operated(run *run, const char *op, number a, number b)
{
    bool both_whole = a.type == INTEGER && b.type == INTEGER;
    double x = as_double(a), y = as_double(b), f = 0;
    switch (op[0] | (op[1] << 8)) {
    case '<': return whole(both_whole ? a.i < b.i : x < y);
    case '>': return whole(both_whole ? a.i > b.i : x > y);
    case '<' | '=' << 8: return whole(both_whole ? a.i <= b.i : x <= y);
    case '>' | '=' << 8: return whole(both_whole ? a.i >= b.i : x >= y);
    case '=' | '=' << 8: return whole(both_whole ? a.i == b.i : x == y);
    case '!' | '=' << 8: return whole(both_whole ? a.i != b.i : x != y);
    case '&' | '&' << 8: return whole(x != 0 && y != 0);
    case '|' | '|' << 8: return whole(x != 0 || y != 0);
    case '+': if (both_whole) return whole(a.i + b.i); f = x + y; break;
    case '-': if (both_whole) return whole(a.i - b.i); f = x - y; break;
    case '*': if (both_whole) return whole(a.i * b.i); f = x * y; break;
    default:
        if (both_whole && run->running && b.i == 0)
            stop("kernel %s divides by zero", run->kernel->name);
        if (both_whole)
            return whole(b.i == 0 ? 0 : op[0] == '/' ? a.i / b.i : a.i % b.i);
        f = x / y;
    }
    /* A double has more than twice a float's digits: rounding twice gives the float's result. */
    bool is_double = a.type == DOUBLE || b.type == DOUBLE;
    return (number){is_double ? DOUBLE : FLOAT, 0, is_double ? f : (float)f};
}

/* ---- Expressions ------------------------------------------------------------------------ */

static number expression(run *run);

static bool accept(run *run, const char *token)
{
    const char *at = skip_blanks(run->at);
    if (strncmp(at, token, strlen(token)) != 0)
        return false;
    run->at = at + strlen(token);
    return true;
}

static void need(run *run, const char *token)
{
    if (!accept(run, token))
        stop("kernel %s is beyond the stand-in: '%s' expected at '%.30s'", run->kernel->name,
             token, run->at);
}

static variable *find_variable(run *run, const char *name)
{
    for (size_t i = run->count; i-- > 0;)
        if (strcmp(run->variables[i].name, name) == 0)
            return &run->variables[i];
    stop("kernel %s is beyond the stand-in: %s", run->kernel->name, name);
}

static unsigned char *element(run *run, const variable *memory, number index)
{
    if (!run->running)
        return NULL;
    if (memory->element == 0)
        stop("kernel %s is beyond the stand-in: %s[]", run->kernel->name, memory->name);
    if (index.i < 0 || (size_t)index.i >= memory->size / memory->element)
        stop("kernel %s reaches %s[%lld] of %zu bytes", run->kernel->name, memory->name, index.i,
             memory->size);
    return memory->bytes + (size_t)index.i * memory->element;
}

static number function_value(run *run, const char *name)
{
    number a[3] = {{0}};
    size_t count = 0;
    while (!accept(run, ")")) {
        if (count == 3)
            stop("kernel %s is beyond the stand-in: %s", run->kernel->name, name);
        a[count++] = expression(run);
        accept(run, ",");
    }
    const item *item = run->item;
    size_t d = a[0].i >= 0 && a[0].i < 3 ? (size_t)a[0].i : 2;
    if (strcmp(name, "get_global_id") == 0) return whole((long long)item->id[d]);
    if (strcmp(name, "get_global_size") == 0) return whole((long long)item->global[d]);
    if (strcmp(name, "get_global_offset") == 0) return whole((long long)item->offset[d]);
    if (strcmp(name, "get_local_id") == 0) return whole((long long)item->within[d]);
    if (strcmp(name, "get_local_size") == 0) return whole((long long)item->local[d]);
    if (strcmp(name, "get_group_id") == 0) return whole((long long)item->group[d]);
    if (strcmp(name, "sqrt") == 0)
        return a[0].type == DOUBLE ? (number){DOUBLE, 0, sqrt(a[0].f)}
                                   : (number){FLOAT, 0, sqrtf((float)as_double(a[0]))};
    if (strcmp(name, "fabs") == 0) return (number){a[0].type, 0, fabs(as_double(a[0]))};
    if (strcmp(name, "min") == 0) return operated(run, "<", a[1], a[0]).i ? a[1] : a[0];
    if (strcmp(name, "max") == 0) return operated(run, "<", a[0], a[1]).i ? a[1] : a[0];
    stop("kernel %s is beyond the stand-in: %s()", run->kernel->name, name);
}

static number literal(run *run)
{
    char *behind, *behind_float;
    long long i = strtoll(run->at, &behind, 0);
    double f = strtod(run->at, &behind_float);
    if (behind_float == run->at)
        stop("kernel %s is beyond the stand-in at '%.30s'", run->kernel->name, run->at);
    bool is_whole = behind >= behind_float;
    run->at = is_whole ? behind : behind_float;
    bool is_float = !is_whole && (*run->at == 'f' || *run->at == 'F');
    run->at += strspn(run->at, is_whole ? "uUlL" : "fF");
    if (is_whole)
        return whole(i);
    return (number){is_float ? FLOAT : DOUBLE, 0, is_float ? (float)f : f};
}

static number primary(run *run)
{
    char word[NAME_LENGTH];
    run->at = skip_blanks(run->at);
    if (accept(run, "-")) {
        number n = primary(run);
        return (number){n.type, -n.i, -n.f};
    }
    if (accept(run, "!"))
        return whole(as_double(primary(run)) == 0);
    if (accept(run, "(")) {
        const char *behind = skip_blanks(read_word(run->at, word));
        if (number_types[type_index(word)].name != NULL && *behind == ')') {
            run->at = behind + 1;
            return converted(primary(run), word);
        }
        number inner = expression(run);
        need(run, ")");
        return inner;
    }
    const char *behind = read_word(run->at, word);
    if (word[0] == '\0')
        return literal(run);
    run->at = behind;
    if (accept(run, "("))
        return function_value(run, word);
    variable *named = find_variable(run, word);
    if (!accept(run, "["))
        return named->value;
    number index = expression(run);
    need(run, "]");
    const unsigned char *from = element(run, named, index);
    return from == NULL ? converted(whole(1), named->type)
                        : load(named->type, from, named->element);
}

static const char *const levels[][5] = {{"||", NULL}, {"&&", NULL}, {"==", "!=", NULL},
    {"<=", ">=", "<", ">", NULL}, {"+", "-", NULL}, {"*", "/", "%", NULL}};

static number operation(run *run, size_t level)
{
    if (level == sizeof levels / sizeof levels[0])
        return primary(run);
    number left = operation(run, level + 1);
    for (size_t i = 0; levels[level][i] != NULL;) {
        const char *op = levels[level][i];
        const char *at = skip_blanks(run->at);
        bool is_assignment = strlen(op) == 1 && (at[1] == '=' || at[1] == at[0]);
        if (strncmp(at, op, strlen(op)) != 0 || is_assignment) {
            i++;
            continue;
        }
        run->at = at + strlen(op);
        bool was_running = run->running;
        if ((level == 0 && as_double(left) != 0) || (level == 1 && as_double(left) == 0))
            run->running = false; /* the left side has decided */
        number right = operation(run, level + 1);
        run->running = was_running;
        left = operated(run, op, left, right);
        i = 0;
    }
    return left;
}

static number expression(run *run)
{
    number condition = operation(run, 0);
    if (!accept(run, "?"))
        return condition;
    bool was_running = run->running, holds = as_double(condition) != 0;
    run->running = was_running && holds;
    number first = expression(run);
    need(run, ":");
    run->running = was_running && !holds;
    number second = expression(run);
    run->running = was_running;
    return holds ? first : second;
}

/* ---- Statements ------------------------------------------------------------------------- */

static void statement(run *run);

static void declare(run *run, const char *type)
{
    char name[NAME_LENGTH];
    run->at = read_word(run->at, name);
    number value = accept(run, "=") ? expression(run) : whole(0);
    if (run->count == sizeof run->variables / sizeof run->variables[0])
        stop("kernel %s has too many variables", run->kernel->name);
    variable *made = &run->variables[run->count++];
    memset(made, 0, sizeof *made);
    memcpy(made->name, name, sizeof name);
    snprintf(made->type, sizeof made->type, "%s", type);
    made->value = converted(value, type);
}

static void assign(run *run)
{
    char name[NAME_LENGTH];
    run->at = read_word(run->at, name);
    variable *named = find_variable(run, name);
    unsigned char *to = NULL;
    bool is_memory = accept(run, "[");
    if (is_memory) {
        to = element(run, named, expression(run));
        need(run, "]");
    }
    number old = named->value, value;
    if (to != NULL)
        old = load(named->type, to, named->element);
    if (accept(run, "++"))
        value = operated(run, "+", old, whole(1));
    else if (accept(run, "="))
        value = expression(run);
    else {
        char op[2] = {*skip_blanks(run->at), '\0'};
        if (strchr("+-*/", op[0]) == NULL)
            stop("kernel %s is beyond the stand-in at '%.30s'", run->kernel->name, run->at);
        need(run, op);
        need(run, "=");
        value = operated(run, op, old, expression(run));
    }
    if (run->running && is_memory)
        store(named->type, to, named->element, value);
    else if (run->running)
        named->value = converted(value, named->type);
}

/* A declaration or an assignment, without the semicolon behind it. */
static void simple(run *run)
{
    char word[NAME_LENGTH];
    const char *behind = read_word(run->at, word);
    if (strcmp(word, "const") == 0)
        behind = read_word(run->at = behind, word);
    if (number_types[type_index(word)].name == NULL) {
        assign(run);
        return;
    }
    run->at = behind;
    do
        declare(run, word);
    while (accept(run, ","));
}

static void loop(run *run)
{
    bool was_running = run->running;
    size_t outside = run->count;
    need(run, "(");
    simple(run);
    need(run, ";");
    const char *condition = run->at;
    for (;;) {
        run->at = condition;
        bool goes_on = as_double(expression(run)) != 0;
        need(run, ";");
        const char *step = run->at;
        run->running = false;
        simple(run);
        need(run, ")");
        run->running = was_running && goes_on && !run->returned;
        statement(run);
        const char *behind = run->at;
        if (!run->running) {
            run->at = behind;
            break;
        }
        run->at = step;
        simple(run);
    }
    run->running = was_running && !run->returned;
    run->count = outside;
}

static void branch(run *run)
{
    bool was_running = run->running;
    need(run, "(");
    bool holds = as_double(expression(run)) != 0;
    need(run, ")");
    run->running = was_running && holds;
    statement(run);
    run->running = was_running && !holds && !run->returned;
    char word[NAME_LENGTH];
    const char *behind = read_word(run->at, word);
    if (strcmp(word, "else") == 0) {
        run->at = behind;
        statement(run);
    }
    run->running = was_running && !run->returned;
}

static void statement(run *run)
{
    char word[NAME_LENGTH];
    const char *behind = read_word(run->at, word);
    if (accept(run, "{")) {
        size_t outside = run->count;
        while (!accept(run, "}"))
            statement(run);
        run->count = outside;
    } else if (accept(run, ";")) {
        return;
    } else if (strcmp(word, "if") == 0) {
        run->at = behind;
        branch(run);
    } else if (strcmp(word, "for") == 0) {
        run->at = behind;
        loop(run);
    } else if (strcmp(word, "return") == 0) {
        run->at = behind;
        need(run, ";");
        run->returned = run->returned || run->running;
        run->running = false;
    } else {
        simple(run);
        need(run, ";");
    }
}

void run_item(const kernel_text *kernel, const operand *operands, const item *item)
{
    run run = {.at = kernel->body, .kernel = kernel, .item = item, .running = true};
    for (cl_uint i = 0; i < kernel->count; i++) {
        const parameter *parameter = &kernel->parameters[i];
        variable *made = &run.variables[run.count++];
        memcpy(made->name, parameter->name, sizeof made->name);
        memcpy(made->type, parameter->type, sizeof made->type);
        if (parameter->is_memory || parameter->is_local) {
            made->bytes = operands[i].bytes;
            made->size = operands[i].size;
            made->element = parameter->size;
        } else if (parameter->size > 0) {
            made->value = load(parameter->type, operands[i].bytes, parameter->size);
        }
    }
    statement(&run);
}
