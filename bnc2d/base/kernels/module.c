/* Inner loops that numpy has no single call for, without Python's lock, so that threads run side by side.

   All of them are optional: bnc2d/base/kernels/__init__.py says what is used where this module was not built,
   and tests/base/test_kernels.py compares the two. Arguments are C-contiguous arrays, checked for their sizes
   here; who calls sees to types. No call is long: large arrays come in pieces.

   The stable ABI of Python 3.11 is enough, so one build serves all later versions. */

#include "kernels.h"

int
fits(const Py_buffer *buffers, const Py_ssize_t *bytes, int count)
{
    for (int i = 0; i < count; i++) {
        if (bytes[i] < 0 || buffers[i].len < bytes[i]) {
            PyErr_Format(PyExc_ValueError, "array %d has %zd bytes, not %zd", i, buffers[i].len, bytes[i]);
            return 0;
        }
    }
    return 1;
}

Py_ssize_t
product(Py_ssize_t x, Py_ssize_t y, Py_ssize_t z)
{
    Py_ssize_t found;
    if (x < 0 || y < 0 || z < 0)
        return -1;
    if (__builtin_mul_overflow(x, y, &found) || __builtin_mul_overflow(found, z, &found))
        return PY_SSIZE_T_MAX;
    return found;
}

void
release(Py_buffer *buffers, int count)
{
    for (int i = 0; i < count; i++)
        PyBuffer_Release(&buffers[i]);
}

static int
add_methods(PyObject *module)
{
    PyMethodDef *methods[] = {block_methods, box_methods, collect_methods, expand_methods, group_methods,
                              growth_methods, gather_methods, gate_methods, implication_methods,
                              memory_methods};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (PyModule_AddFunctions(module, methods[i]) < 0)
            return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_methods}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "compiled", "Inner loops without Python's lock.", 0, NULL, slots, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit_compiled(void)
{
    return PyModuleDef_Init(&definition);
}
