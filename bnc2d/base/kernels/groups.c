/* Equal rows of 64-bit words: see base/hashing.py. */

#include "kernels.h"

typedef struct {
    uint64_t hash;
    int64_t id; /* -1 where there is none */
} Slot;

typedef struct {
    Slot *slots;
    size_t mask;
    int64_t count;
} Groups;

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
        free(groups);
    }
}

static Slot *
empty_slots(size_t size)
{
    Slot *slots = malloc(size * sizeof *slots);
    if (slots != NULL)
        memset(slots, 0xff, size * sizeof *slots);
    return slots;
}

static PyObject *
new_groups(PyObject *module, PyObject *unused)
{
    Groups *groups = malloc(sizeof *groups);
    const size_t size = 1 << 10;
    if (groups != NULL) {
        groups->slots = empty_slots(size);
        groups->mask = size - 1;
        groups->count = 0;
        if (groups->slots != NULL)
            return PyCapsule_New(groups, GROUPS, free_groups);
        free(groups);
    }
    return PyErr_NoMemory();
}

static int
grow(Groups *groups)
{
    const size_t size = 4 * (groups->mask + 1);
    Slot *slots = empty_slots(size);
    if (slots == NULL)
        return 0;
    for (size_t old = 0; old <= groups->mask; old++) {
        Slot slot = groups->slots[old];
        if (slot.id < 0)
            continue;
        size_t at = slot.hash & (size - 1);
        while (slots[at].id >= 0)
            at = (at + 1) & (size - 1);
        slots[at] = slot;
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

enum { AHEAD = 64 }; /* rows whose slots are fetched before they are looked at */

/* Whether an earlier row is equal to this one. */
INLINE int
same_row(const uint64_t *rows, int64_t earlier, Py_ssize_t row, Py_ssize_t width)
{
    return !memcmp(rows + earlier * width, rows + row * width, width * sizeof *rows);
}

enum { NO_MEMORY, DONE, NO_SUCH_ROW };

/* Find or add rows; NO_SUCH_ROW where first rows are not those of earlier calls. */
static int
add_to_groups(Groups *groups, const uint64_t *rows, const uint64_t *weights, Py_ssize_t width, Py_ssize_t start,
              Py_ssize_t stop, int64_t *ids, int64_t *first)
{
    uint64_t hashes[AHEAD];
    while (start < stop) {
        const Py_ssize_t some = stop - start < AHEAD ? stop - start : AHEAD;
        if (2 * (size_t)(groups->count + AHEAD) > groups->mask && !grow(groups))
            return NO_MEMORY;
        if (width == 1)
            for (Py_ssize_t i = 0; i < some; i++)
                hashes[i] = mixed(rows[start + i]); /* one to one, so nothing has to be compared */
        else
            hash_rows(rows + start * width, weights, width, some, hashes);
        for (Py_ssize_t i = 0; i < some; i++)
            __builtin_prefetch(&groups->slots[hashes[i] & groups->mask]);
        for (Py_ssize_t i = 0; i < some; i++) {
            size_t at = hashes[i] & groups->mask;
            Slot *slot;
            while ((slot = &groups->slots[at])->id >= 0) {
                if (slot->hash == hashes[i]) {
                    if ((uint64_t)first[slot->id] >= (uint64_t)(start + i))
                        return NO_SUCH_ROW;
                    if (width == 1 || same_row(rows, first[slot->id], start + i, width))
                        break;
                }
                at = (at + 1) & groups->mask;
            }
            if (slot->id < 0) {
                slot->hash = hashes[i];
                slot->id = groups->count;
                first[groups->count++] = start + i;
            }
            ids[start + i] = slot->id;
        }
        start += some;
    }
    return DONE;
}

PyDoc_STRVAR(add_rows_doc,
"add_rows(groups, rows, weights, start, stop, ids, first) -> number of groups so far\n"
"Rows before start were added by earlier calls with the same groups; ids and first have a place for each row.");

static PyObject *
add_rows(PyObject *module, PyObject *args)
{
    PyObject *capsule, *result = NULL;
    Py_buffer b[4];
    Py_ssize_t start, stop;
    if (!PyArg_ParseTuple(args, "Oy*y*nnw*w*:add_rows", &capsule, &b[0], &b[1], &start, &stop, &b[2], &b[3]))
        return NULL;
    Groups *groups = PyCapsule_GetPointer(capsule, GROUPS);
    const Py_ssize_t width = b[1].len / 8;
    const Py_ssize_t bytes[] = {product(stop, width, 8), width * 8, product(stop, 1, 8), product(stop, 1, 8)};
    if (groups != NULL && start >= groups->count && start <= stop && width > 0 && fits(b, bytes, 4)) {
        int done;
        Py_BEGIN_ALLOW_THREADS
        done = add_to_groups(groups, b[0].buf, b[1].buf, width, start, stop, b[2].buf, b[3].buf);
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
