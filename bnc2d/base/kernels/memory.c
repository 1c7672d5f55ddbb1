/* Memory that arrays give back: see base/allocation.py. */

#include "kernels.h"

#include <limits.h>

#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define TELLS_FREE_BYTES
#endif
#endif

PyDoc_STRVAR(keep_memory_doc,
"keep_memory(piece, most, ahead, shared) -> whether the C library does as it is told\n"
"What is given back in pieces of up to so many bytes is kept, most of them at the end of the heap; the heap\n"
"grows by so many ahead. Where it is shared, threads get no heaps of their own, whose pieces must be small.");

static PyObject *
keep_memory(PyObject *module, PyObject *args)
{
    Py_ssize_t piece, most, ahead;
    int shared;
    if (!PyArg_ParseTuple(args, "nnnp:keep_memory", &piece, &most, &ahead, &shared))
        return NULL;
    int heard = 0;
    if (piece < 0 || piece > INT_MAX || most < 0 || most > INT_MAX || ahead < 0 || ahead > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "no such sizes");
        return NULL;
    }
#ifdef __GLIBC__
    heard = mallopt(M_MMAP_THRESHOLD, (int)piece) && mallopt(M_TRIM_THRESHOLD, (int)most) &&
            mallopt(M_TOP_PAD, (int)ahead) && (!shared || mallopt(M_ARENA_MAX, 1));
#endif
    return PyBool_FromLong(heard);
}

PyDoc_STRVAR(give_back_doc,
"give_back(most) -> whether memory went back to the system\n"
"Where more bytes than these are free, give back all that can be.");

static PyObject *
give_back(PyObject *module, PyObject *args)
{
    Py_ssize_t most;
    int given = 0;
    if (!PyArg_ParseTuple(args, "n:give_back", &most))
        return NULL;
    if (most < 0) {
        PyErr_SetString(PyExc_ValueError, "no such size");
        return NULL;
    }
#ifdef TELLS_FREE_BYTES
    Py_BEGIN_ALLOW_THREADS
    if (mallinfo2().fordblks > (size_t)most)
        given = malloc_trim(0);
    Py_END_ALLOW_THREADS
#endif
    return PyBool_FromLong(given);
}

PyMethodDef memory_methods[] = {
    {"keep_memory", keep_memory, METH_VARARGS, keep_memory_doc},
    {"give_back", give_back, METH_VARARGS, give_back_doc},
    {NULL, NULL, 0, NULL}};
