/* Labels of two classes, 64 columns (a box) at a time: see compile/meet/labels.py and boxes.py. */

#include "kernels.h"

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t m16 __attribute__((vector_size(64)));
typedef int32_t m8 __attribute__((vector_size(32)));
typedef int32_t m4 __attribute__((vector_size(16)));

enum { BOX = 64, LANES = 16, ROWS = 128, TOGETHER = 6 };

INLINE v16
load(const float *from)
{
    v16 vector;
    memcpy(&vector, from, sizeof vector);
    return vector;
}

/* Which numbers are negative, as bits, those of two vectors one after the other. (Comparisons of vectors of this
   size are taken apart by some compilers, signs are not.) */
INLINE uint32_t
negative(v16 x, v16 y)
{
    const m16 first = (m16)x >> 31, second = (m16)y >> 31;
    const m16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    m16 all = (first & bit) | (second & (bit << 16));
    m8 eights[2];
    memcpy(eights, &all, sizeof all);
    m8 eight = eights[0] | eights[1];
    m4 fours[2];
    memcpy(fours, &eight, sizeof eight);
    m4 four = fours[0] | fours[1];
    return (uint32_t)(four[0] | four[1] | four[2] | four[3]);
}

typedef struct {
    Py_ssize_t rows, terms, boxes, columns, capacity;
    const float *left, *sizes;            /* [row, term] */
    const float *right;                   /* [box, term, 64] */
    const float *middle, *half, *largest; /* [term, box], rows padded to vectors */
    float reach, share, least;
    const uint8_t *tied;
    uint64_t tie;
    uint64_t *words;                      /* [row, box] */
    int64_t *near_rows, *near_columns;
    Py_ssize_t near;
} Boxes;

/* Decide boxes of a row where a box leaves no doubt; note which are open, and the bounds of their cells. */
INLINE void
test_boxes(const Boxes *given, Py_ssize_t row, uint8_t *open, float *bounds)
{
    const Py_ssize_t terms = given->terms, padded = (given->boxes + LANES - 1) / LANES * LANES;
    const float *left = given->left + row * terms, *sizes = given->sizes + row * terms;
    uint64_t *words = given->words + row * given->boxes;
    if (given->tied[row]) {
        for (Py_ssize_t box = 0; box < given->boxes; box++)
            words[box] = given->tie;
        memset(open, 0, padded);
        return;
    }
    for (Py_ssize_t start = 0; start < padded; start += LANES) {
        v16 middle = {0}, reach = {0}, size = {0};
        for (Py_ssize_t term = 0; term < terms; term++) {
            const Py_ssize_t at = term * padded + start;
            middle += load(given->middle + at) * left[term];
            reach += load(given->half + at) * fabsf(left[term]);
            size += load(given->largest + at) * sizes[term];
        }
        reach += given->reach;
        size = size * given->share + given->least;
        memcpy(bounds + start, &size, sizeof size);
        const uint32_t decided = negative(reach - middle, reach + middle); /* above, and below */
        for (int lane = 0; lane < LANES && start + lane < given->boxes; lane++) {
            words[start + lane] = -(uint64_t)(decided >> lane & 1);
            open[start + lane] = !((decided >> lane | decided >> (LANES + lane)) & 1);
        }
    }
}

/* Decide the cells of one box for some rows. Returns whether there was room for all near ones. */
INLINE int
decide_cells(Boxes *given, Py_ssize_t box, const int32_t *some, const float *bounds, int count)
{
    const Py_ssize_t terms = given->terms;
    const float *right = given->right + box * terms * BOX;
    const float *left[TOGETHER];
    uint64_t labels[TOGETHER] = {0}, near[TOGETHER] = {0};
    for (int i = 0; i < TOGETHER; i++)
        left[i] = given->left + some[i < count ? i : 0] * terms;
    for (int part = 0; part < BOX; part += 2 * LANES) {
        v16 sums[2][TOGETHER];
        for (int side = 0; side < 2; side++) {
            const float *column = right + part + side * LANES;
            for (int i = 0; i < TOGETHER; i++)
                sums[side][i] = (v16){0};
            for (Py_ssize_t term = 0; term < terms; term++) {
                v16 factor = load(column + term * BOX);
                for (int i = 0; i < TOGETHER; i++)
                    sums[side][i] += factor * left[i][term];
            }
        }
        for (int i = 0; i < TOGETHER; i++) {
            const v16 x = sums[0][i], y = sums[1][i];
            const v16 ax = (v16)((m16)x & INT32_MAX), ay = (v16)((m16)y & INT32_MAX);
            labels[i] |= (uint64_t)negative(0 - x, 0 - y) << part;
            near[i] |= (uint64_t)(uint32_t)~negative(bounds[i] - ax, bounds[i] - ay) << part;
        }
    }
    for (int i = 0; i < count; i++) {
        given->words[some[i] * given->boxes + box] = labels[i];
        for (uint64_t left_over = near[i]; left_over; left_over &= left_over - 1) {
            const Py_ssize_t column = box * BOX + __builtin_ctzll(left_over);
            if (column >= given->columns)
                break;
            if (given->near == given->capacity)
                return 0;
            given->near_rows[given->near] = some[i];
            given->near_columns[given->near++] = column;
        }
    }
    return 1;
}

VECTORS static int
decide_boxes_of(Boxes *given, uint8_t *open, float *bounds)
{
    const Py_ssize_t padded = (given->boxes + LANES - 1) / LANES * LANES;
    int32_t some[ROWS];
    float their_bounds[ROWS + TOGETHER];
    for (Py_ssize_t start = 0; start < given->rows; start += ROWS) {
        Py_ssize_t rows = given->rows - start < ROWS ? given->rows - start : ROWS;
        for (Py_ssize_t row = 0; row < rows; row++)
            test_boxes(given, start + row, open + row * padded, bounds + row * padded);
        for (Py_ssize_t box = 0; box < given->boxes; box++) {
            int count = 0;
            for (Py_ssize_t row = 0; row < rows; row++) {
                some[count] = (int32_t)(start + row);
                their_bounds[count] = bounds[row * padded + box];
                count += open[row * padded + box];
            }
            for (int first = 0; first < count; first += TOGETHER) {
                int here = count - first < TOGETHER ? count - first : TOGETHER;
                if (!decide_cells(given, box, some + first, their_bounds + first, here))
                    return 0;
            }
        }
    }
    return 1;
}

PyDoc_STRVAR(decide_boxes_doc,
"decide_boxes(columns, left, sizes, right, middle, half, largest, reach, share, least, tied, tie, words,\n"
"             near_rows, near_columns) -> number of near cells, -1 where there is no room for them");

static PyObject *
decide_boxes(PyObject *module, PyObject *args)
{
    Py_buffer b[10];
    Boxes given = {0};
    unsigned long long tie;
    if (!PyArg_ParseTuple(args, "ny*y*y*y*y*y*fffy*Kw*w*w*:decide_boxes", &given.columns, &b[0], &b[1], &b[2],
                          &b[3], &b[4], &b[5], &given.reach, &given.share, &given.least, &b[6], &tie, &b[7],
                          &b[8], &b[9]))
        return NULL;
    if (given.columns < 0 || given.columns > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "no such columns");
        release(b, 10);
        return NULL;
    }
    given.tie = tie;
    given.rows = b[6].len;
    given.terms = given.rows ? b[0].len / 4 / given.rows : 0;
    given.boxes = (given.columns + BOX - 1) / BOX;
    given.capacity = b[8].len / 8;
    const Py_ssize_t padded = (given.boxes + LANES - 1) / LANES * LANES;
    const Py_ssize_t of_left = product(given.rows, given.terms, 4), of_boxes = product(given.terms, padded, 4);
    const Py_ssize_t bytes[] = {
        of_left, of_left, product(given.boxes, given.terms, BOX * 4), of_boxes, of_boxes, of_boxes, given.rows,
        product(given.rows, given.boxes, 8), given.capacity * 8, given.capacity * 8};
    PyObject *result = NULL;
    uint8_t *open = NULL;
    float *bounds = NULL;
    if (given.rows > INT32_MAX || !fits(b, bytes, 10)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "too many rows");
        goto end;
    }
    open = malloc(ROWS * padded + 1);
    bounds = malloc(ROWS * padded * sizeof *bounds + 1);
    if (open == NULL || bounds == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    given.left = b[0].buf, given.sizes = b[1].buf, given.right = b[2].buf, given.middle = b[3].buf;
    given.half = b[4].buf, given.largest = b[5].buf, given.tied = b[6].buf, given.words = b[7].buf;
    given.near_rows = b[8].buf, given.near_columns = b[9].buf;
    int room;
    Py_BEGIN_ALLOW_THREADS
    room = decide_boxes_of(&given, open, bounds);
    Py_END_ALLOW_THREADS
    result = PyLong_FromSsize_t(room ? given.near : -1);
end:
    free(open);
    free(bounds);
    release(b, 10);
    return result;
}

PyMethodDef box_methods[] = {{"decide_boxes", decide_boxes, METH_VARARGS, decide_boxes_doc}, {NULL, NULL, 0, NULL}};
