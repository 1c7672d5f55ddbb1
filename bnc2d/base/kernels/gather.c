/* Sums of products of gathered rows: see compile/meet/tables/gathered_sums.py. */

#include "kernels.h"

enum { COLUMNS = 1024, TERMS = 4 }; /* of a row at a time, and terms that are added at once */

typedef struct {
    Py_ssize_t groups, terms, a, b;
    const double *left, *right;           /* [row, a], [row, b] */
    const int64_t *of_left, *of_right;    /* [group, term] */
    double *table;                        /* [group, a, b] */
} Gathered;

/* Add some terms to a row of sums, or begin with them. */
INLINE void
add_terms(double *restrict sums, const double *const *rows, const double *weights, Py_ssize_t count, int terms, int more)
{
    const double *restrict r0 = rows[0], *restrict r1 = rows[terms > 1 ? 1 : 0];
    const double *restrict r2 = rows[terms > 2 ? 2 : 0], *restrict r3 = rows[terms > 3 ? 3 : 0];
    const double w0 = weights[0], w1 = terms > 1 ? weights[1] : 0, w2 = terms > 2 ? weights[2] : 0;
    const double w3 = terms > 3 ? weights[3] : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        double sum = w0 * r0[i];
        if (terms > 1)
            sum += w1 * r1[i];
        if (terms > 2)
            sum += w2 * r2[i];
        if (terms > 3)
            sum += w3 * r3[i];
        sums[i] = more ? sums[i] + sum : sum;
    }
}

VECTORS static void
gather_all(const Gathered *given)
{
    const Py_ssize_t a = given->a, b = given->b, terms = given->terms;
    for (Py_ssize_t group = 0; group < given->groups; group++) {
        const int64_t *of_left = given->of_left + group * terms, *of_right = given->of_right + group * terms;
        for (Py_ssize_t start = 0; start < b; start += COLUMNS) {
            const Py_ssize_t count = b - start < COLUMNS ? b - start : COLUMNS;
            for (Py_ssize_t i = 0; i < a; i++) {
                double *sums = given->table + (group * a + i) * b + start;
                for (Py_ssize_t term = 0; term < terms; term += TERMS) {
                    const int some = terms - term < TERMS ? (int)(terms - term) : TERMS;
                    const double *rows[TERMS];
                    double weights[TERMS];
                    for (int t = 0; t < some; t++) {
                        rows[t] = given->right + of_right[term + t] * b + start;
                        weights[t] = given->left[of_left[term + t] * a + i];
                    }
                    switch (some + (term ? TERMS : 0)) {
                    case 1: add_terms(sums, rows, weights, count, 1, 0); break;
                    case 2: add_terms(sums, rows, weights, count, 2, 0); break;
                    case 3: add_terms(sums, rows, weights, count, 3, 0); break;
                    case 4: add_terms(sums, rows, weights, count, 4, 0); break;
                    case 5: add_terms(sums, rows, weights, count, 1, 1); break;
                    case 6: add_terms(sums, rows, weights, count, 2, 1); break;
                    case 7: add_terms(sums, rows, weights, count, 3, 1); break;
                    default: add_terms(sums, rows, weights, count, 4, 1);
                    }
                }
            }
        }
    }
}

static int
are_rows(const int64_t *indices, Py_ssize_t count, Py_ssize_t rows)
{
    int outside = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        outside |= (uint64_t)indices[i] >= (uint64_t)rows;
    return !outside;
}

PyDoc_STRVAR(gather_sums_doc,
"gather_sums(left, a, right, b, of_left, of_right, terms, table)\n"
"table[group, i, j] = sum over terms of left[of_left[group, term], i] * right[of_right[group, term], j]");

static PyObject *
gather_sums(PyObject *module, PyObject *args)
{
    Py_buffer b[5];
    Gathered given;
    if (!PyArg_ParseTuple(args, "y*ny*ny*y*nw*:gather_sums", &b[0], &given.a, &b[1], &given.b, &b[2], &b[3],
                          &given.terms, &b[4]))
        return NULL;
    PyObject *result = NULL;
    int right = given.a > 0 && given.b > 0 && given.terms > 0;
    given.groups = right ? b[2].len / 8 / given.terms : 0;
    const Py_ssize_t indices = given.groups * given.terms;
    given.left = b[0].buf, given.right = b[1].buf, given.of_left = b[2].buf, given.of_right = b[3].buf;
    given.table = b[4].buf;
    right = right && b[2].len == indices * 8 && b[3].len == indices * 8 &&
            b[4].len / 8 / given.a / given.b == given.groups && b[4].len == given.groups * given.a * given.b * 8 &&
            are_rows(given.of_left, indices, b[0].len / 8 / given.a) &&
            are_rows(given.of_right, indices, b[1].len / 8 / given.b);
    if (right) {
        Py_BEGIN_ALLOW_THREADS
        gather_all(&given);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    else
        PyErr_SetString(PyExc_ValueError, "no such rows of two tables, or no room for their products");
    release(b, 5);
    return result;
}

PyMethodDef gather_methods[] = {{"gather_sums", gather_sums, METH_VARARGS, gather_sums_doc}, {NULL, NULL, 0, NULL}};
