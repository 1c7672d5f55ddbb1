/* What the inner loops share: checked buffers, vectors. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One build, the widest vectors that the processor has. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTORS
#endif
#define INLINE static inline __attribute__((always_inline))

/* Whether buffers have at least so many bytes; sets an error where one has not. */
int fits(const Py_buffer *buffers, const Py_ssize_t *bytes, int count);
/* The product of three sizes; the largest number where that is too large, -1 where one is negative. */
Py_ssize_t product(Py_ssize_t x, Py_ssize_t y, Py_ssize_t z);
void release(Py_buffer *buffers, int count);

/* The methods of each file, ended by an empty one. */
extern PyMethodDef block_methods[], box_methods[], collect_methods[], expand_methods[], group_methods[],
    growth_methods[], gather_methods[], gate_methods[], implication_methods[],
    memory_methods[];
