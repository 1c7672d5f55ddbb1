/* Which pairs of nodes may imply each other: see compile/formula/implication.py. */

#include "kernels.h"

enum { WORDS = 8, AHEAD = 16 };

typedef struct {
    Py_ssize_t nodes, levels; /* those of nodes, that of the terminals, and one more */
    const uint64_t *values;      /* [node, word] */
    const uint64_t *first_word;  /* [node]: refutes most on its own */
    const uint16_t *level;       /* [node] */
    int64_t decided;
} Values;

/* Pairs that are undecided: code, index of the answer; as found, then by level. */
typedef struct {
    int64_t *codes, *indices;
    uint16_t *levels;
    Py_ssize_t count;
} Open;

enum { NO, YES, UNDECIDED };

INLINE int
compare(const Values *given, int64_t a, int64_t b)
{
    if (given->first_word[a] & ~given->first_word[b])
        return NO;
    const uint64_t *x = given->values + a * WORDS, *y = given->values + b * WORDS;
    uint64_t more = 0;
    for (int word = 0; word < WORDS; word++)
        more |= x[word] & ~y[word];
    if (more)
        return NO;
    if (a == b || (a < given->decided && b < given->decided) || a == 0 || b == 1)
        return YES;
    if (a == 1 || b == 0)
        return NO; /* another node is neither true nor false */
    return UNDECIDED;
}

INLINE void
add_open(const Values *given, Open *open, int64_t a, int64_t b, int64_t index)
{
    open->codes[open->count] = a << 32 | b;
    open->indices[open->count] = index;
    open->levels[open->count++] = given->level[a > b ? a : b]; /* that of the earlier node */
}

/* Write pairs in the order of their levels, and how many there are of each. */
static void
by_level(const Values *given, const Open *open, int64_t *codes, int64_t *indices, int64_t *counts)
{
    memset(counts, 0, given->levels * sizeof *counts);
    for (Py_ssize_t i = 0; i < open->count; i++)
        counts[open->levels[i] + 1]++;
    for (Py_ssize_t level = 1; level < given->levels; level++)
        counts[level] += counts[level - 1];
    for (Py_ssize_t i = 0; i < open->count; i++) {
        const int64_t at = counts[open->levels[i]]++;
        codes[at] = open->codes[i];
        indices[at] = open->indices[i];
    }
    /* Each entry is now the end of its level. */
}

static void
compare_all(const Values *given, const int64_t *left, const int64_t *right, Py_ssize_t count, int64_t start,
            uint8_t *answers, Open *open)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(given->first_word + left[i + AHEAD]);
            __builtin_prefetch(given->first_word + right[i + AHEAD]);
        }
        const int answer = compare(given, left[i], right[i]);
        answers[i] = answer != NO;
        if (answer == UNDECIDED)
            add_open(given, open, left[i], right[i], start + i);
    }
}

typedef struct {
    const int64_t *table; /* [node of the level, state] */
    int64_t first, width;
} Level;

static void
follow_all(const Values *given, const Level *level, const int64_t *pairs, Py_ssize_t count, int64_t start,
           uint8_t *answers, Open *open)
{
    const int64_t width = level->width;
    for (Py_ssize_t i = 0; i < count; i++) {
        const int64_t a = pairs[i] >> 32, b = pairs[i] & UINT32_MAX;
        const int64_t *x = a < level->first ? NULL : level->table + (a - level->first) * width;
        const int64_t *y = b < level->first ? NULL : level->table + (b - level->first) * width;
        const Py_ssize_t before = open->count;
        uint8_t *answer = answers + i * width;
        int64_t state = 0;
        for (; state < width; state++) {
            const int64_t left = x ? x[state] : a, right = y ? y[state] : b;
            const int found = compare(given, left, right);
            answer[state] = found != NO;
            if (found == NO)
                break;
            if (found == UNDECIDED)
                add_open(given, open, left, right, start + i * width + state);
        }
        if (state < width) { /* one that does not hold is enough */
            open->count = before;
            memset(answer + state, 0, width - state);
        }
    }
}

static int
new_open(Open *open, Py_ssize_t most)
{
    open->count = 0;
    open->codes = malloc(most * sizeof *open->codes + 1);
    open->indices = malloc(most * sizeof *open->indices + 1);
    open->levels = malloc(most * sizeof *open->levels + 1);
    if (open->codes && open->indices && open->levels)
        return 1;
    PyErr_NoMemory();
    return 0;
}

static void
free_open(Open *open)
{
    free(open->codes);
    free(open->indices);
    free(open->levels);
}

/* Whether all numbers are those of nodes. */
static int
are_nodes(const int64_t *numbers, Py_ssize_t count, Py_ssize_t nodes)
{
    int outside = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        outside |= (uint64_t)numbers[i] >= (uint64_t)nodes;
    if (outside)
        PyErr_SetString(PyExc_ValueError, "no such node");
    return !outside;
}

static int
no_values(void)
{
    PyErr_SetString(PyExc_ValueError, "values, words and levels are not of the same nodes");
    return 0;
}

/* Take what all calls have in common: values, first words, levels of nodes, then the place for what is open. */
static int
take_values(const Py_buffer *b, int64_t decided, Py_ssize_t most, Values *given)
{
    given->nodes = b[1].len / 8;
    given->levels = b[5].len / 8;
    given->values = b[0].buf, given->first_word = b[1].buf, given->level = b[2].buf;
    given->decided = decided;
    const Py_ssize_t bytes[] = {product(given->nodes, WORDS, 8), given->nodes * 8, given->nodes * 2, most * 8, most * 8, 8};
    if (!fits(b, bytes, 6))
        return 0;
    uint16_t largest = 0;
    for (Py_ssize_t node = 0; node < given->nodes; node++)
        largest = given->level[node] > largest ? given->level[node] : largest;
    return given->nodes < UINT32_MAX && largest < given->levels - 1 ? 1 : no_values();
}

PyDoc_STRVAR(compare_pairs_doc,
"compare_pairs(values, first_word, level, codes, indices, ends, decided, left, right, start, answers)\n"
"Answers pairs of nodes as far as values tell; writes the others by level, with start added to their index.");

static PyObject *
compare_pairs(PyObject *module, PyObject *args)
{
    Py_buffer b[9];
    long long decided, start;
    if (!PyArg_ParseTuple(args, "y*y*y*w*w*w*Ly*y*Lw*:compare_pairs", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
                          &decided, &b[6], &b[7], &start, &b[8]))
        return NULL;
    const Py_ssize_t count = b[8].len, bytes[] = {count * 8, count * 8, count};
    Values given;
    Open open = {0};
    PyObject *result = NULL;
    if (fits(b + 6, bytes, 3) && take_values(b, decided, count, &given) &&
        are_nodes(b[6].buf, count, given.nodes) && are_nodes(b[7].buf, count, given.nodes) &&
        new_open(&open, count)) {
        Py_BEGIN_ALLOW_THREADS
        compare_all(&given, b[6].buf, b[7].buf, count, start, b[8].buf, &open);
        by_level(&given, &open, b[3].buf, b[4].buf, b[5].buf);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    free_open(&open);
    release(b, 9);
    return result;
}

PyDoc_STRVAR(follow_pairs_doc,
"follow_pairs(values, first_word, level, codes, indices, ends, decided, table, first, pairs, start, answers)\n"
"The same for all children of pairs of nodes of one level; of a pair that does not hold, nothing is open.");

static PyObject *
follow_pairs(PyObject *module, PyObject *args)
{
    Py_buffer b[9];
    long long decided, start, first;
    if (!PyArg_ParseTuple(args, "y*y*y*w*w*w*Ly*Ly*Lw*:follow_pairs", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
                          &decided, &b[6], &first, &b[7], &start, &b[8]))
        return NULL;
    const Py_ssize_t count = b[7].len / 8, answers = b[8].len, width = count ? answers / count : 0;
    const int64_t *pairs = b[7].buf;
    Values given;
    Open open = {0};
    PyObject *result = NULL;
    if (take_values(b, decided, answers, &given) && are_nodes(b[6].buf, b[6].len / 8, given.nodes)) {
        const Level level = {b[6].buf, first, width};
        const int64_t stop = width ? first + b[6].len / 8 / width : 0;
        int outside = width * count != answers || first < 0;
        for (Py_ssize_t i = 0; i < count; i++)
            outside |= pairs[i] < 0 || (pairs[i] >> 32) >= stop || (pairs[i] & UINT32_MAX) >= stop;
        if (outside || stop > given.nodes)
            PyErr_SetString(PyExc_ValueError, "no such pairs");
        else if (new_open(&open, answers)) {
            Py_BEGIN_ALLOW_THREADS
            follow_all(&given, &level, pairs, count, start, b[8].buf, &open);
            by_level(&given, &open, b[3].buf, b[4].buf, b[5].buf);
            Py_END_ALLOW_THREADS
            result = Py_NewRef(Py_None);
        }
    }
    free_open(&open);
    release(b, 9);
    return result;
}

/* ---- Pairs of parts of a row that one word does not refute. ---- */

PyDoc_STRVAR(open_pairs_doc,
"open_pairs(words, parts, following, start, stop, forwards, backwards) -> pairs forwards, pairs backwards\n"
"Each of the parts from start to stop makes a pair with so many following ones. Pairs of which the left one's\n"
"word implies the right one's go forwards, as [2, pair]; the others, turned round, backwards where it is so.");

static PyObject *
open_pairs(PyObject *module, PyObject *args)
{
    Py_buffer b[5];
    PyObject *result = NULL;
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "y*y*y*nnw*w*:open_pairs", &b[0], &b[1], &b[2], &start, &stop, &b[3], &b[4]))
        return NULL;
    const Py_ssize_t count = b[0].len / 8, most = b[3].len / 16, bytes[] = {0, count * 8, count * 8, 0, b[3].len};
    if (fits(b, bytes, 5)) {
        const uint64_t *words = b[0].buf;
        const int64_t *parts = b[1].buf, *following = b[2].buf;
        int64_t *forwards = b[3].buf, *backwards = b[4].buf;
        Py_ssize_t ahead = 0, back = 0, pairs = 0;
        int fitting = start >= 0 && start <= stop && stop <= count;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = start; fitting && i < stop; i++) {
            fitting = following[i] >= 0 && following[i] < count - i && following[i] <= most - pairs;
            if (!fitting)
                break;
            pairs += following[i];
            for (Py_ssize_t j = i + 1; j <= i + following[i]; j++) {
                const uint64_t either = words[i] | words[j];
                forwards[ahead] = parts[i], forwards[most + ahead] = parts[j];
                ahead += either == words[j];
                backwards[back] = parts[j], backwards[most + back] = parts[i];
                back += either == words[i];
            }
        }
        Py_END_ALLOW_THREADS
        if (fitting)
            result = Py_BuildValue("nn", ahead, back);
        else
            PyErr_SetString(PyExc_ValueError, "no such pairs");
    }
    release(b, 5);
    return result;
}

PyMethodDef implication_methods[] = {
    {"compare_pairs", compare_pairs, METH_VARARGS, compare_pairs_doc},
    {"follow_pairs", follow_pairs, METH_VARARGS, follow_pairs_doc},
    {"open_pairs", open_pairs, METH_VARARGS, open_pairs_doc},
    {NULL, NULL, 0, NULL}};
