/* Rows of bits with other columns: see compile/meet/row_packing.py. */

#include "kernels.h"

enum { LANES = 64 };

/* Exchange halves of squares: the later bits of the first `half` words, the earlier ones of those below. */
INLINE void
exchange(uint64_t *square, const int half, const uint64_t early)
{
    for (int above = 0; above < LANES; above += 2 * half)
        for (int i = above; i < above + half; i++) {
            const uint64_t change = (square[i] >> half ^ square[i + half]) & early;
            square[i + half] ^= change;
            square[i] ^= change << half;
        }
}

/* Bit i of word j becomes bit j of word i. */
INLINE void
turn(uint64_t *square)
{
    exchange(square, 32, 0x00000000FFFFFFFFu);
    exchange(square, 16, 0x0000FFFF0000FFFFu);
    exchange(square, 8, 0x00FF00FF00FF00FFu);
    exchange(square, 4, 0x0F0F0F0F0F0F0F0Fu);
    exchange(square, 2, 0x3333333333333333u);
    exchange(square, 1, 0x5555555555555555u);
}

typedef struct {
    Py_ssize_t rows, words, cells, taken;
    const uint64_t *from;   /* [row, word] */
    const int64_t *columns_of;
    uint64_t *to;           /* [row, word of some cells] */
} Expanded;

/* Expand 64 rows or fewer; lanes has a word for each column of a row, with a bit for each row. */
VECTORS static void
expand_some(const Expanded *given, Py_ssize_t first, uint64_t *lanes)
{
    const int rows = given->rows - first < LANES ? (int)(given->rows - first) : LANES;
    for (Py_ssize_t word = 0; word < given->words; word++) {
        uint64_t *square = lanes + 64 * word;
        for (int row = 0; row < LANES; row++)
            square[row] = row < rows ? given->from[(first + row) * given->words + word] : 0;
        turn(square);
    }
    const Py_ssize_t length = given->taken / given->cells;
    const int64_t *column = given->columns_of;
    for (Py_ssize_t word = 0; word < length; word++, column += given->cells) {
        uint64_t square[LANES] = {0};
        for (int i = 0; i < given->cells; i++)
            square[i] = lanes[column[i]];
        turn(square);
        for (int row = 0; row < rows; row++)
            given->to[(first + row) * length + word] = square[row];
    }
}

PyDoc_STRVAR(expand_bits_doc,
"expand_bits(rows, words, columns, cells, expanded)\n"
"Rows of so many words of bits are written with these of their columns, so many cells in a word.");

static PyObject *
expand_bits(PyObject *module, PyObject *args)
{
    PyObject *result = NULL;
    Py_buffer b[3];
    Expanded given;
    if (!PyArg_ParseTuple(args, "y*ny*nw*:expand_bits", &b[0], &given.words, &b[1], &given.cells, &b[2]))
        return NULL;
    given.taken = b[1].len / 8;
    given.from = b[0].buf, given.columns_of = b[1].buf, given.to = b[2].buf;
    int right = given.words > 0 && given.cells > 0 && given.cells <= 64 && given.cells % 8 == 0 &&
                given.taken % given.cells == 0;
    given.rows = right ? b[0].len / 8 / given.words : 0;
    right = right && b[2].len / 8 == given.rows * (given.taken / given.cells);
    for (Py_ssize_t i = 0; right && i < given.taken; i++)
        right = (uint64_t)given.columns_of[i] < 64 * (uint64_t)given.words;
    uint64_t *lanes = NULL;
    if (!right)
        PyErr_SetString(PyExc_ValueError, "no such columns, or no room for them");
    else if ((lanes = malloc(64 * given.words * sizeof *lanes)) == NULL)
        PyErr_NoMemory();
    else {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t first = 0; first < given.rows; first += LANES)
            expand_some(&given, first, lanes);
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    free(lanes);
    release(b, 3);
    return result;
}

PyMethodDef expand_methods[] = {{"expand_bits", expand_bits, METH_VARARGS, expand_bits_doc}, {NULL, NULL, 0, NULL}};
