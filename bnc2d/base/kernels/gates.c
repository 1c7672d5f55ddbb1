/* Gates of circuits, found or added one after the other: see logic/circuit/store.py. */

#include "kernels.h"

enum { FEW = 24 }; /* children that are sorted by insertion */
static const uint64_t OR_CODE = 0xD6E8FEB86659FD93u, FACTOR = 0xBF58476D1CE4E5B9u;
static const uint8_t OR = 3;

/* The columns of a store, and its table. */
typedef struct {
    int32_t *slots;
    uint8_t *kinds;
    int32_t *levels, *features;
    uint64_t *hashes;
    int64_t *starts, *children;
    size_t mask;
    int64_t count, edges, space; /* space: how many edges there is room for */
} Store;

static int
compare(const void *one, const void *other)
{
    const int64_t x = *(const int64_t *)one, y = *(const int64_t *)other;
    return (x > y) - (x < y);
}

INLINE void
sort(int64_t *numbers, int64_t count)
{
    if (count > FEW) {
        qsort(numbers, count, sizeof *numbers, compare);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        const int64_t number = numbers[i];
        int64_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* Whether a node has this kind and these children, in ascending order. */
INLINE int
is_gate(const Store *s, int64_t node, uint8_t kind, const int64_t *children, int64_t arity)
{
    const int64_t start = s->starts[node];
    return s->kinds[node] == kind && s->starts[node + 1] - start == arity && start >= 0 &&
           start + arity <= s->edges && !memcmp(s->children + start, children, arity * sizeof *children);
}

/* Take back the gates from `count` on, which were the last to come into the table. */
static void
take_back(Store *s, int64_t count)
{
    while (s->count > count) {
        const int64_t node = --s->count;
        size_t at = s->hashes[node] & s->mask;
        for (size_t looked = 0; looked <= s->mask && s->slots[at] != node; looked++)
            at = (at + 1) & s->mask;
        s->slots[at] = -1;
    }
    s->edges = s->starts[count];
}

/* Return the gate whose children, ascending, are behind those of the last node, found or added; or -1. */
INLINE int64_t
find_or_add_gate(Store *s, uint8_t kind, int64_t arity)
{
    const int64_t *own = s->children + s->edges;
    uint64_t hash = kind == OR ? OR_CODE : 0;
    int32_t level = 0;
    for (int64_t i = 0; i < arity; i++) {
        hash += s->hashes[own[i]];
        if (s->levels[own[i]] > level)
            level = s->levels[own[i]];
    }
    hash = (hash ^ hash >> 32) * FACTOR;
    size_t at = hash & s->mask;
    int64_t node;
    while ((node = s->slots[at]) >= 0) {
        if (node >= s->count)
            return -1;
        if (s->hashes[node] == hash && is_gate(s, node, kind, own, arity))
            return node;
        at = (at + 1) & s->mask;
    }
    node = s->count++;
    s->slots[at] = (int32_t)node;
    s->kinds[node] = kind;
    s->levels[node] = level + 1;
    s->features[node] = -1;
    s->hashes[node] = hash;
    s->edges += arity;
    s->starts[node + 1] = s->edges;
    return node;
}

/* Add gates and set their nodes; return how many, -1 where an argument is wrong. A child is a place in
   `known` (NULL where its number is its node), behind which the gates come. Where there are levels, a gate
   with a child twice and all others of its level and later ones are not added. */
static int64_t
add_all(Store *s, const uint8_t *kinds, const int64_t *starts, int64_t gates, const int64_t *below, int64_t edges,
        const int64_t *known, int64_t first, const int64_t *ends_of_levels, int64_t levels, int64_t *nodes)
{
    int64_t level = 0, begin = 0, before = s->count;
    const int64_t count = s->count;
    if (gates && starts[0] < 0)
        return -1;
    for (int64_t gate = 0; gate < gates; gate++) {
        const int64_t edge = starts[gate], arity = starts[gate + 1] - edge;
        int64_t *own = s->children + s->edges;
        if (arity < 1 || starts[gate + 1] > edges || arity > s->space - s->edges)
            return -1;
        while (level < levels && ends_of_levels[level] <= gate) {
            begin = ends_of_levels[level++];
            before = s->count;
        }
        for (int64_t i = 0; i < arity; i++) {
            const int64_t child = below[edge + i];
            if (child < 0 || child >= first + gate)
                return -1;
            own[i] = child >= first ? nodes[child - first] : known == NULL ? child : known[child];
            if (own[i] < 0 || own[i] >= count + gate)
                return -1;
        }
        sort(own, arity);
        for (int64_t i = 1; levels && i < arity; i++) {
            if (own[i] == own[i - 1]) {
                take_back(s, before);
                return begin;
            }
        }
        if ((nodes[gate] = find_or_add_gate(s, kinds[gate], arity)) < 0)
            return -1;
    }
    return gates;
}

PyDoc_STRVAR(add_gates_doc,
"add_gates(slots, kinds, levels, features, hashes, starts, children, count, new_kinds, new_starts, below,\n"
"          known, ends_of_levels, nodes) -> gates that have nodes now, count\n"
"The first arrays are those of a store with count nodes, and room for all of the new gates. What is below\n"
"these are places in known, or nodes where that is None; then come the gates themselves.");

static PyObject *
add_gates(PyObject *module, PyObject *args)
{
    Py_buffer b[13];
    PyObject *result = NULL;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "w*w*w*w*w*w*w*ny*y*y*z*y*w*:add_gates", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
                          &b[6], &count, &b[7], &b[8], &b[9], &b[10], &b[11], &b[12]))
        return NULL;
    const Py_ssize_t gates = b[7].len, slots = b[0].len / 4;
    const Py_ssize_t room = count < 2 || count > INT32_MAX - gates ? -1 : count + gates;
    const Py_ssize_t least[] = {room * 4, room, room * 4, room * 4,  room * 8, room * 8 + 8, 0,
                                0,        gates * 8 + 8, 0, 0, 0, gates * 8};
    if (fits(b, least, 13)) {
        int64_t *starts = b[5].buf, added = -1;
        Store s = {b[0].buf, b[1].buf, b[2].buf, b[3].buf,  b[4].buf,      starts,
                   b[6].buf, slots - 1, count,   starts[count], b[6].len / 8};
        if (slots > room && (slots & (slots - 1)) == 0 && s.edges >= 0 && s.edges <= s.space) {
            Py_BEGIN_ALLOW_THREADS
            added = add_all(&s, b[7].buf, b[8].buf, gates, b[9].buf, b[9].len / 8, b[10].buf,
                            b[10].buf == NULL ? count : b[10].len / 8, b[11].buf, b[11].len / 8, b[12].buf);
            Py_END_ALLOW_THREADS
        }
        if (added >= 0)
            result = Py_BuildValue("LL", (long long)added, (long long)s.count);
        else
            PyErr_SetString(PyExc_ValueError, "no such gates");
    }
    release(b, 13);
    return result;
}

PyMethodDef gate_methods[] = {{"add_gates", add_gates, METH_VARARGS, add_gates_doc}, {NULL, NULL, 0, NULL}};
