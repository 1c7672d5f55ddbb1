/* Equal rows of 64-bit words: see base/hashing.py. */

#include "kernels.h"

/* Open addressing: the low bits of a hash say where to look. A slot has the high half of a group's hash, and
   its number plus one in the low half; so 0 is an empty one. */
typedef struct {
    uint64_t *slots;
    uint64_t *hashes; /* by group; there is room for two thirds of the slots */
    size_t mask;
    int64_t count;
} Groups;

enum { FIRST_SLOTS = 1 << 10, MANY_SLOTS = 1 << 18, MOST_EXPECTED = 1 << 22 };
enum { AHEAD = 64 }; /* rows whose slots are fetched before they are looked at */
static const uint64_t LOW = 0xFFFFFFFFu;

static const char *GROUPS = "bnc2d.groups";

INLINE uint64_t
mixed(uint64_t number)
{
    number *= 0x9E3779B97F4A7C15u;
    number ^= number >> 29;
    number *= 0xBF58476D1CE4E5B9u;
    return number ^ number >> 32;
}

static void
free_groups(PyObject *capsule)
{
    Groups *groups = PyCapsule_GetPointer(capsule, GROUPS);
    if (groups != NULL) {
        free(groups->slots);
        free(groups->hashes);
        free(groups);
    }
}

/* How many groups have room in so many slots. */
INLINE size_t
room(size_t slots)
{
    return slots / 3 * 2;
}

static PyObject *
new_groups(PyObject *module, PyObject *unused)
{
    Groups *groups = calloc(1, sizeof *groups);
    if (groups != NULL) {
        groups->slots = calloc(FIRST_SLOTS, sizeof *groups->slots);
        groups->hashes = malloc(room(FIRST_SLOTS) * sizeof *groups->hashes);
        groups->mask = FIRST_SLOTS - 1;
        if (groups->slots != NULL && groups->hashes != NULL)
            return PyCapsule_New(groups, GROUPS, free_groups);
        free(groups->slots);
        free(groups->hashes);
        free(groups);
    }
    return PyErr_NoMemory();
}

/* Make more slots, so many that there is room for as many groups as are expected. */
static int
grow(Groups *groups, uint64_t expected)
{
    size_t size = (groups->mask + 1) * (groups->mask < MANY_SLOTS ? 4 : 2);
    while (room(size) < expected + AHEAD && size <= LOW)
        size *= 2;
    uint64_t *hashes = realloc(groups->hashes, room(size) * sizeof *hashes);
    if (hashes == NULL)
        return 0;
    groups->hashes = hashes;
    uint64_t *slots = calloc(size, sizeof *slots);
    if (slots == NULL)
        return 0;
    for (int64_t id = 0; id < groups->count; id++) {
        size_t at = hashes[id] & (size - 1);
        while (slots[at])
            at = (at + 1) & (size - 1);
        slots[at] = (hashes[id] & ~LOW) | (uint64_t)(id + 1);
    }
    free(groups->slots);
    groups->slots = slots;
    groups->mask = size - 1;
    return 1;
}

INLINE uint64_t
hash_of(const uint64_t *row, const uint64_t *weights, Py_ssize_t width)
{
    uint64_t sum = 0;
    for (Py_ssize_t i = 0; i < width; i++)
        sum += mixed(row[i]) * weights[i];
    return sum;
}

VECTORS static void
hash_rows(const uint64_t *rows, const uint64_t *weights, Py_ssize_t width, Py_ssize_t count, uint64_t *hashes)
{
    for (Py_ssize_t row = 0; row < count; row++)
        hashes[row] = hash_of(rows + row * width, weights, width);
}

static PyObject *
row_hashes(PyObject *module, PyObject *args)
{
    Py_buffer b[3];
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*w*:row_hashes", &b[0], &b[1], &b[2]))
        return NULL;
    const Py_ssize_t width = b[1].len / 8, count = b[2].len / 8;
    const Py_ssize_t bytes[] = {product(width, count, 8), width * 8, count * 8};
    if (fits(b, bytes, 3)) {
        Py_BEGIN_ALLOW_THREADS
        hash_rows(b[0].buf, b[1].buf, width, count, b[2].buf);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    release(b, 3);
    return result;
}

enum { NO_MEMORY, DONE, NO_SUCH_ROW };

/* Whether all entries of a row are equal. */
INLINE int
is_constant(const uint64_t *row, Py_ssize_t width)
{
    for (Py_ssize_t i = 1; i < width; i++)
        if (row[i] != row[0])
            return 0;
    return 1;
}

/* Hash some rows; where each has one number, or two small ones as nodes of diagrams have, equal hashes mean
   equal rows. Returns whether that is so, -1 where nodes are not small. */
INLINE int
hash_some(const uint64_t *rows, const uint64_t *weights, Py_ssize_t width, Py_ssize_t count, int are_nodes,
          uint64_t *hashes)
{
    if (width == 1) {
        for (Py_ssize_t i = 0; i < count; i++)
            hashes[i] = mixed(rows[i]);
        return 1;
    }
    if (width == 2 && are_nodes) {
        uint64_t all = 0;
        for (Py_ssize_t i = 0; i < count; i++) {
            all |= rows[2 * i] | rows[2 * i + 1];
            hashes[i] = mixed(rows[2 * i] << 32 | rows[2 * i + 1]);
        }
        return all > LOW ? -1 : 1;
    }
    hash_rows(rows, weights, width, count, hashes);
    return 0;
}

/* Find or add rows; NO_SUCH_ROW where first rows are not those of earlier calls. Groups are numbered from
   `next` on. Where that is not 0, rows are the children of nodes, each before `next`: one of equal entries is
   in no group, and its number is that entry. Where most rows so far had a group of their own, the table is
   made large enough for `all` rows to go on so. */
static int
add_to_groups(Groups *groups, const uint64_t *rows, const uint64_t *weights, Py_ssize_t width, Py_ssize_t start,
              Py_ssize_t stop, Py_ssize_t all, int64_t *ids, int64_t *first, int64_t next)
{
    uint64_t hashes[AHEAD];
    while (start < stop) {
        const Py_ssize_t some = stop - start < AHEAD ? stop - start : AHEAD;
        if ((size_t)groups->count + AHEAD > room(groups->mask + 1)) {
            const int most_differ = groups->count > start / 2;
            uint64_t expected = most_differ ? (uint64_t)((double)groups->count / (double)start * (double)all) : 0;
            if (expected > MOST_EXPECTED)
                expected = MOST_EXPECTED;
            if ((uint64_t)groups->count + AHEAD > LOW || !grow(groups, expected))
                return NO_MEMORY;
        }
        const uint64_t *row = rows + start * width;
        const int one_to_one = hash_some(row, weights, width, some, next != 0, hashes);
        if (one_to_one < 0)
            return NO_SUCH_ROW;
        for (Py_ssize_t i = 0; i < some; i++)
            __builtin_prefetch(&groups->slots[hashes[i] & groups->mask]);
        for (Py_ssize_t i = 0; i < some; i++, row += width) {
            size_t at = hashes[i] & groups->mask;
            uint64_t slot;
            int64_t id = groups->count;
            if (next && is_constant(row, width)) {
                ids[start + i] = (int64_t)row[0];
                continue;
            }
            while ((slot = groups->slots[at]) != 0) {
                const int64_t known = (int64_t)(slot & LOW) - 1;
                if (((slot ^ hashes[i]) & ~LOW) == 0 && groups->hashes[known] == hashes[i]) {
                    if (!one_to_one && (uint64_t)first[known] >= (uint64_t)(start + i))
                        return NO_SUCH_ROW;
                    if (one_to_one || !memcmp(rows + first[known] * width, row, width * sizeof *row)) {
                        id = known;
                        break;
                    }
                }
                at = (at + 1) & groups->mask;
            }
            if (id == groups->count) {
                groups->slots[at] = (hashes[i] & ~LOW) | (uint64_t)(id + 1);
                groups->hashes[id] = hashes[i];
                first[groups->count++] = start + i;
            }
            ids[start + i] = next + id;
        }
        start += some;
    }
    return DONE;
}

PyDoc_STRVAR(add_rows_doc,
"add_rows(groups, rows, weights, start, stop, ids, first, next) -> number of groups so far\n"
"Rows before start were added by earlier calls with the same groups; ids and first have a place for each row.\n"
"Ids begin with next. Where that is not 0, rows are nodes, all of them before next; a row of equal ones is in\n"
"no group, and its id is that node.");

static PyObject *
add_rows(PyObject *module, PyObject *args)
{
    PyObject *capsule, *result = NULL;
    Py_buffer b[4];
    Py_ssize_t start, stop, next;
    if (!PyArg_ParseTuple(args, "Oy*y*nnw*w*n:add_rows", &capsule, &b[0], &b[1], &start, &stop, &b[2], &b[3], &next))
        return NULL;
    Groups *groups = PyCapsule_GetPointer(capsule, GROUPS);
    const Py_ssize_t width = b[1].len / 8;
    const Py_ssize_t bytes[] = {product(stop, width, 8), width * 8, product(stop, 1, 8), product(stop, 1, 8)};
    if (groups != NULL && start >= groups->count && start <= stop && width > 0 && fits(b, bytes, 4)) {
        int done;
        Py_BEGIN_ALLOW_THREADS
        done = add_to_groups(groups, b[0].buf, b[1].buf, width, start, stop, b[2].len / 8, b[2].buf, b[3].buf, next);
        Py_END_ALLOW_THREADS
        if (done == DONE)
            result = PyLong_FromLongLong(groups->count);
        else if (done == NO_MEMORY)
            PyErr_NoMemory();
    }
    if (result == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "no such rows");
    release(b, 4);
    return result;
}

PyMethodDef group_methods[] = {
    {"new_groups", new_groups, METH_NOARGS, "new_groups() -> no groups of rows yet"},
    {"add_rows", add_rows, METH_VARARGS, add_rows_doc},
    {"row_hashes", row_hashes, METH_VARARGS, "row_hashes(rows, weights, hashes)"},
    {NULL, NULL, 0, NULL}};
