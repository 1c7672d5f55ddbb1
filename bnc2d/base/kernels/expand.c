/* Rows of bits with other columns: see compile/meet/row_packing.py. */

#include "kernels.h"

enum { LANES = 8 };

/* Bit i of byte j becomes bit j of byte i. */
INLINE uint64_t
turned(uint64_t square)
{
    uint64_t change = (square ^ square >> 7) & 0x00AA00AA00AA00AAu;
    square ^= change ^ change << 7;
    change = (square ^ square >> 14) & 0x0000CCCC0000CCCCu;
    square ^= change ^ change << 14;
    change = (square ^ square >> 28) & 0x00000000F0F0F0F0u;
    return square ^ change ^ change << 28;
}

typedef struct {
    Py_ssize_t rows, words, columns, cells, taken;
    const uint64_t *from;   /* [row, word] */
    const int64_t *columns_of;
    uint64_t *to;           /* [row, word of some cells] */
} Expanded;

/* Expand eight rows or fewer; lanes has a byte for each column of a row. */
static void
expand_some(const Expanded *given, Py_ssize_t first, uint8_t *lanes)
{
    const int rows = given->rows - first < LANES ? (int)(given->rows - first) : LANES;
    for (Py_ssize_t word = 0; word < given->words; word++)
        for (int byte = 0; byte < 8; byte++) {
            uint64_t square = 0;
            for (int row = 0; row < rows; row++)
                square |= (given->from[(first + row) * given->words + word] >> 8 * byte & 0xff) << 8 * row;
            square = turned(square);
            for (int lane = 0; lane < 8; lane++)
                lanes[64 * word + 8 * byte + lane] = (uint8_t)(square >> 8 * lane);
        }
    const Py_ssize_t length = given->taken / given->cells;
    const int64_t *column = given->columns_of;
    for (Py_ssize_t word = 0; word < length; word++) {
        uint64_t bits[LANES] = {0};
        for (int start = 0; start < given->cells; start += 8, column += 8) {
            uint64_t square = 0;
            for (int i = 0; i < 8; i++)
                square |= (uint64_t)lanes[column[i]] << 8 * i;
            square = turned(square);
            for (int row = 0; row < LANES; row++)
                bits[row] |= (square >> 8 * row & 0xff) << start;
        }
        for (int row = 0; row < rows; row++)
            given->to[(first + row) * length + word] = bits[row];
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
    uint8_t *lanes = NULL;
    if (!right)
        PyErr_SetString(PyExc_ValueError, "no such columns, or no room for them");
    else if ((lanes = malloc(64 * given.words)) == NULL)
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
