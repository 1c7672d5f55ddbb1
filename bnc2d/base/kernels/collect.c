/* The first side of a product of two classes, as float32: see compile/meet/join.py. */

#include "kernels.h"

typedef double d8 __attribute__((vector_size(64)));

enum { DOUBLES = 8 };

typedef struct {
    Py_ssize_t patterns, sums, stride;    /* entries between two rows of the table */
    const double *table, *weight;         /* [group, pattern], [term] */
    const int64_t *source, *starts;       /* [term], [sum and one more] */
    float *left, *sizes;                  /* [pattern, sum] */
    uint8_t *tied;
} Collected;

/* Collect some patterns, at most eight; values has room for two vectors for each sum. */
INLINE void
collect_some(const Collected *given, Py_ssize_t start, int count, d8 *values)
{
    d8 total = {0};
    double scale[DOUBLES];
    for (Py_ssize_t sum = 0; sum < given->sums; sum++) {
        d8 gained = {0}, lost = {0};
        for (int64_t term = given->starts[sum]; term < given->starts[sum + 1]; term++) {
            const double *row = given->table + given->source[term] * given->stride + start;
            const double weight = given->weight[term];
            d8 entries = {0};
            if (count == DOUBLES)
                memcpy(&entries, row, sizeof entries);
            else
                memcpy(&entries, row, count * sizeof *row);
            if (weight > 0)
                gained += entries * weight;
            else
                lost += entries * -weight;
        }
        values[2 * sum] = gained - lost;
        values[2 * sum + 1] = gained + lost;
        total += gained + lost;
    }
    for (int lane = 0; lane < count; lane++) {
        int exponent;
        frexp(total[lane], &exponent);
        scale[lane] = ldexp(1.0, -exponent);
        given->tied[start + lane] = total[lane] == 0;
    }
    for (int lane = 0; lane < count; lane++) {
        float *left = given->left + (start + lane) * given->sums, *sizes = given->sizes + (start + lane) * given->sums;
        const double *from = (const double *)values + lane;
        for (Py_ssize_t sum = 0; sum < given->sums; sum++) {
            left[sum] = (float)(from[2 * DOUBLES * sum] * scale[lane]);
            sizes[sum] = (float)(from[2 * DOUBLES * sum + DOUBLES] * scale[lane]);
        }
    }
}

VECTORS static void
collect_all(const Collected *given, d8 *values)
{
    for (Py_ssize_t start = 0; start < given->patterns; start += DOUBLES) {
        const Py_ssize_t left = given->patterns - start;
        collect_some(given, start, left < DOUBLES ? (int)left : DOUBLES, values);
    }
}

/* Whether terms name rows of the table and sums lie one after the other. */
static int
terms_fit(const Collected *given, Py_ssize_t terms, Py_ssize_t groups)
{
    for (Py_ssize_t sum = 0; sum < given->sums; sum++)
        if (given->starts[sum] < 0 || given->starts[sum] > given->starts[sum + 1])
            return 0;
    if (given->starts[given->sums] > terms)
        return 0;
    for (Py_ssize_t term = 0; term < terms; term++)
        if (given->source[term] < 0 || given->source[term] >= groups)
            return 0;
    return 1;
}

PyDoc_STRVAR(collect_doc,
"collect(table, source, weight, starts, left, sizes, tied)\n"
"The table may be some columns of a larger one; all others are contiguous.");

static PyObject *
collect(PyObject *module, PyObject *args)
{
    PyObject *object, *result = NULL;
    Py_buffer table, b[6];
    Collected given;
    if (!PyArg_ParseTuple(args, "Oy*y*y*w*w*w*:collect", &object, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]))
        return NULL;
    if (PyObject_GetBuffer(object, &table, PyBUF_STRIDED_RO) < 0) {
        release(b, 6);
        return NULL;
    }
    void *values = NULL;
    given.patterns = b[5].len;
    given.sums = b[2].len / 8 - 1;
    const Py_ssize_t terms = b[0].len / 8;
    const Py_ssize_t bytes[] = {terms * 8, terms * 8, 8, product(given.patterns, given.sums, 4),
                                product(given.patterns, given.sums, 4), given.patterns};
    given.table = table.buf, given.source = b[0].buf, given.weight = b[1].buf, given.starts = b[2].buf;
    given.left = b[3].buf, given.sizes = b[4].buf, given.tied = b[5].buf;
    if (!fits(b, bytes, 6))
        goto end;
    if (table.ndim != 2 || table.itemsize != 8 || (table.shape[1] > 1 && table.strides[1] != 8) ||
        table.strides[0] % 8 || table.shape[1] != given.patterns || !terms_fit(&given, terms, table.shape[0])) {
        PyErr_SetString(PyExc_ValueError, "no such table, or no such terms of it");
        goto end;
    }
    given.stride = table.strides[0] / 8;
    if (posix_memalign(&values, sizeof(d8), (2 * given.sums + 1) * sizeof(d8))) {
        PyErr_NoMemory();
        values = NULL;
        goto end;
    }
    Py_BEGIN_ALLOW_THREADS
    collect_all(&given, values);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
end:
    free(values);
    PyBuffer_Release(&table);
    release(b, 6);
    return result;
}

PyMethodDef collect_methods[] = {{"collect", collect, METH_VARARGS, collect_doc}, {NULL, NULL, 0, NULL}};
