/* What blocks of levels cost: their cells, the parts of these, how many differ: see compile/formula/plan.py. */

#include "kernels.h"

enum { CELLS = 64, TILE = 16, SLOTS = 256, BATCH = 256 };

/* ---- Sets of keys; a key is a hash and never 0. ---- */

typedef struct {
    uint64_t *keys;
    size_t mask, count;
} KeySet;

static const char *KEYS = "bnc2d.keys";

static void
free_keys(PyObject *capsule)
{
    KeySet *set = PyCapsule_GetPointer(capsule, KEYS);
    if (set != NULL) {
        free(set->keys);
        free(set);
    }
}

static PyObject *
new_keys(PyObject *module, PyObject *unused)
{
    KeySet *set = malloc(sizeof *set);
    const size_t size = 1 << 12;
    if (set != NULL) {
        set->keys = calloc(size, sizeof *set->keys);
        set->mask = size - 1;
        set->count = 0;
        if (set->keys != NULL)
            return PyCapsule_New(set, KEYS, free_keys);
        free(set);
    }
    return PyErr_NoMemory();
}

INLINE int
insert(uint64_t *keys, size_t mask, uint64_t key)
{
    size_t at = key & mask;
    while (keys[at]) {
        if (keys[at] == key)
            return 0;
        at = (at + 1) & mask;
    }
    keys[at] = key;
    return 1;
}

/* Make room for some more keys. */
static int
make_room(KeySet *set, size_t more)
{
    if (2 * (set->count + more) <= set->mask)
        return 1;
    size_t size = set->mask + 1;
    while (2 * (set->count + more) >= size)
        size *= 4;
    uint64_t *keys = calloc(size, sizeof *keys);
    if (keys == NULL)
        return 0;
    for (size_t old = 0; old <= set->mask; old++)
        if (set->keys[old])
            insert(keys, size - 1, set->keys[old]);
    free(set->keys);
    set->keys = keys;
    set->mask = size - 1;
    return 1;
}

INLINE uint64_t
mixed(uint64_t number)
{
    number ^= number >> 32;
    number *= 0x9E3779B97F4A7C15u;
    number ^= number >> 29;
    number *= 0xBF58476D1CE4E5B9u;
    return number ^ number >> 32;
}

/* ---- Different parts of cells. ---- */

typedef struct {
    uint64_t keys[BATCH];
    int64_t blocks[BATCH];
    int count;
} Batch;

INLINE void
add_key(Batch *batch, uint64_t key, int64_t block)
{
    batch->keys[batch->count] = key ? key : 1;
    batch->blocks[batch->count++] = block;
}

/* Count the new ones of some keys for their blocks. */
static int
add_batch(KeySet *set, Batch *batch, int64_t *counts)
{
    if (!make_room(set, batch->count))
        return 0;
    for (int i = 0; i < batch->count; i++)
        __builtin_prefetch(&set->keys[batch->keys[i] & set->mask]);
    for (int i = 0; i < batch->count; i++) {
        const int found = insert(set->keys, set->mask, batch->keys[i]);
        set->count += found;
        counts[batch->blocks[i]] += found;
    }
    batch->count = 0;
    return 1;
}

typedef struct {
    uint32_t stamp;
    int32_t target;
    int32_t part;
} Seen;

typedef struct {
    Py_ssize_t width, rows;
    const int32_t *cells; /* [cell, row] */
    const int64_t *blocks;
    int64_t *gates, *guards;
    KeySet *clause_keys, *guard_keys;
} Counted;

/* Find the parts of one row: what cells lead to, and the set of these cells. Returns how many there are. */
INLINE int
parts_of(const int32_t *cells, int width, Seen *seen, uint32_t stamp, int32_t *targets, uint64_t *sets)
{
    int parts = 0;
    for (int cell = 0; cell < width; cell++) {
        const int32_t target = cells[cell];
        uint32_t at = (uint32_t)target * 0x9E3779B1u >> 24;
        while (seen[at].stamp == stamp && seen[at].target != target)
            at = (at + 1) % SLOTS;
        if (seen[at].stamp != stamp) {
            seen[at] = (Seen){stamp, target, parts};
            targets[parts] = target;
            sets[parts++] = 0;
        }
        sets[seen[at].part] |= (uint64_t)1 << cell;
    }
    return parts;
}

static int
count_all(const Counted *given, Py_ssize_t start, Py_ssize_t stop)
{
    Seen seen[SLOTS] = {{0, 0, 0}};
    Batch clauses = {.count = 0}, guards = {.count = 0};
    int32_t tile[TILE][CELLS], targets[CELLS];
    uint64_t sets[CELLS];
    const int width = (int)given->width;
    uint32_t stamp = 0;
    for (Py_ssize_t first = start; first < stop; first += TILE) {
        const int rows = stop - first < TILE ? (int)(stop - first) : TILE;
        for (int cell = 0; cell < width; cell++)
            for (int row = 0; row < rows; row++)
                tile[row][cell] = given->cells[cell * given->rows + first + row];
        for (int row = 0; row < rows; row++) {
            if (++stamp == 0) { /* all stamps were used */
                memset(seen, 0, sizeof seen);
                stamp = 1;
            }
            const int parts = parts_of(tile[row], width, seen, stamp, targets, sets);
            const int64_t block = given->blocks[first + row];
            const uint64_t of_block = (uint64_t)block * 0xD6E8FEB86659FD93u;
            if ((clauses.count + parts > BATCH && !add_batch(given->clause_keys, &clauses, given->gates)) ||
                (guards.count + parts > BATCH && !add_batch(given->guard_keys, &guards, given->guards)))
                return 0;
            for (int part = 0; part < parts; part++) {
                const uint64_t key = mixed(sets[part]) + of_block;
                if (targets[part] != 1)
                    add_key(&guards, mixed(key), block);
                if (targets[part] > 1)
                    add_key(&clauses, mixed(key + (uint64_t)targets[part] * 0xA0761D6478BD642Fu), block);
            }
        }
    }
    return add_batch(given->clause_keys, &clauses, given->gates) &&
           add_batch(given->guard_keys, &guards, given->guards);
}

PyDoc_STRVAR(count_parts_doc,
"count_parts(clause_keys, guard_keys, cells, block_ids, start, stop, gates, guards)\n"
"Adds to the gates and guards of blocks what rows from start to stop of [cell, row] have that was not counted\n"
"with the same keys before: pairs of a set of cells and what it leads to but the terminals; sets that lead to\n"
"anything but 1.");

static PyObject *
count_parts(PyObject *module, PyObject *args)
{
    PyObject *clauses, *guards, *result = NULL;
    Py_buffer b[4];
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "OOy*y*nnw*w*:count_parts", &clauses, &guards, &b[0], &b[1], &start, &stop, &b[2],
                          &b[3]))
        return NULL;
    Counted given;
    given.rows = b[1].len / 8;
    given.width = given.rows ? b[0].len / 4 / given.rows : 0;
    given.cells = b[0].buf, given.blocks = b[1].buf, given.gates = b[2].buf, given.guards = b[3].buf;
    given.clause_keys = PyCapsule_GetPointer(clauses, KEYS);
    given.guard_keys = PyCapsule_GetPointer(guards, KEYS);
    if (PyErr_Occurred())
        goto end;
    int wrong = given.width > CELLS || given.width * given.rows * 4 != b[0].len || b[2].len != b[3].len ||
                start < 0 || start > stop || stop > given.rows;
    for (Py_ssize_t row = start; !wrong && row < stop; row++)
        wrong = (uint64_t)given.blocks[row] >= (uint64_t)b[2].len / 8;
    if (wrong) {
        PyErr_SetString(PyExc_ValueError, "no such rows of cells, or no such blocks");
        goto end;
    }
    int done;
    Py_BEGIN_ALLOW_THREADS
    done = count_all(&given, start, stop);
    Py_END_ALLOW_THREADS
    result = done ? Py_NewRef(Py_None) : PyErr_NoMemory();
end:
    release(b, 4);
    return result;
}

/* ---- Cells of blocks with one more level: see compile/formula/cells.py. ---- */

typedef struct {
    Py_ssize_t width, rows, size, edges;
    const int32_t *cells;          /* [cell, row] */
    const int64_t *firsts;         /* [row]: the first node of the level */
    const int32_t *shifts, *edge;  /* [row]: where its edges are; all edges */
    int32_t *wider;                /* [cell, state, row] */
} Extended;

/* Returns 0 where a cell leads to no edge. */
static int
extend_all(const Extended *given, Py_ssize_t start, Py_ssize_t stop)
{
    const Py_ssize_t rows = given->rows, size = given->size, most = given->edges - size;
    int outside = 0;
    for (Py_ssize_t cell = 0; cell < given->width; cell++) {
        const int32_t *from = given->cells + cell * rows;
        int32_t *to = given->wider + cell * size * rows;
        for (Py_ssize_t row = start; row < stop; row++) {
            int64_t at = (int64_t)from[row] * size + given->shifts[row];
            const int inside = from[row] >= given->firsts[row];
            if (inside && (at < 0 || at > most))
                outside = 1, at = 0;
            for (Py_ssize_t state = 0; state < size; state++)
                to[state * rows + row] = inside ? given->edge[at + state] : from[row];
        }
    }
    return !outside;
}

PyDoc_STRVAR(extend_cells_doc,
"extend_cells(cells, firsts, shifts, edges, size, start, stop, wider)\n"
"For rows from start to stop: a cell at or after the first node of the row's level goes on to its children.");

static PyObject *
extend_cells(PyObject *module, PyObject *args)
{
    PyObject *result = NULL;
    Py_buffer b[5];
    Py_ssize_t start, stop;
    Extended given;
    if (!PyArg_ParseTuple(args, "y*y*y*y*nnnw*:extend_cells", &b[0], &b[1], &b[2], &b[3], &given.size, &start,
                          &stop, &b[4]))
        return NULL;
    given.rows = b[1].len / 8;
    given.width = given.rows ? b[0].len / 4 / given.rows : 0;
    given.edges = b[3].len / 4;
    given.cells = b[0].buf, given.firsts = b[1].buf, given.shifts = b[2].buf, given.edge = b[3].buf;
    given.wider = b[4].buf;
    int done = given.size > 0 && given.size <= given.edges && start >= 0 && start <= stop && stop <= given.rows &&
               b[0].len == given.width * given.rows * 4 && b[2].len == given.rows * 4 &&
               b[4].len / given.size == b[0].len && b[4].len % given.size == 0;
    if (done) {
        Py_BEGIN_ALLOW_THREADS
        done = extend_all(&given, start, stop);
        Py_END_ALLOW_THREADS
    }
    if (done)
        result = Py_NewRef(Py_None);
    else
        PyErr_SetString(PyExc_ValueError, "no such cells, or no such edges");
    release(b, 5);
    return result;
}

PyDoc_STRVAR(claim_cells_doc,
"claim_cells(claimed, masks, left, right)\n"
"Add to the cells that right ones of some pairs claim the cells of the left ones.");

static PyObject *
claim_cells(PyObject *module, PyObject *args)
{
    Py_buffer b[4];
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "w*y*y*y*:claim_cells", &b[0], &b[1], &b[2], &b[3]))
        return NULL;
    const Py_ssize_t pairs = b[2].len / 8, bytes[] = {0, b[0].len, 0, pairs * 8};
    if (fits(b, bytes, 4)) {
        const uint64_t count = b[0].len / 8, *masks = b[1].buf;
        const int64_t *left = b[2].buf, *right = b[3].buf;
        uint64_t *claimed = b[0].buf;
        Py_ssize_t i;
        Py_BEGIN_ALLOW_THREADS
        for (i = 0; i < pairs && (uint64_t)left[i] < count && (uint64_t)right[i] < count; i++)
            claimed[right[i]] |= masks[left[i]];
        Py_END_ALLOW_THREADS
        if (i == pairs)
            result = Py_NewRef(Py_None);
        else
            PyErr_SetString(PyExc_ValueError, "no such cells");
    }
    release(b, 4);
    return result;
}

PyMethodDef block_methods[] = {
    {"new_keys", new_keys, METH_NOARGS, "new_keys() -> no keys yet"},
    {"count_parts", count_parts, METH_VARARGS, count_parts_doc},
    {"extend_cells", extend_cells, METH_VARARGS, extend_cells_doc},
    {"claim_cells", claim_cells, METH_VARARGS, claim_cells_doc},
    {NULL, NULL, 0, NULL}};
