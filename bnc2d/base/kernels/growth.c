/* Orders in which variables are summed out, by least growth: see least_growth_order in model/elimination.py. */

#include "kernels.h"

typedef struct {
    int words, groups, tables, variables;  /* words of a mask, of all variables */
    const uint64_t *scopes, *summed;       /* [table, word], [word] */
    const uint64_t *group;                 /* [group, word]: variables with equally many states */
    const double *weight;                  /* [group]: log2 of these */
    double largest_log;
    int table_words;
    /* By rank, the order in which variables are met: */
    int *variable_at;
    uint64_t *reach, *users;               /* [rank, word], [rank, table word] */
    double *cost;                          /* infinite where the variable is gone */
    uint8_t *alive;
    int *rank_of;                          /* [variable], -1 for none */
    double *size;                          /* [table] */
} Search;

/* The number of instances, as StateCounts.count has it: to the last bit, so nothing may be contracted. */
static double
count_of(const Search *search, const uint64_t *mask)
{
    double total = 0.0;
    for (int group = 0; group < search->groups; group++) {
        int variables = 0;
        for (int word = 0; word < search->words; word++)
            variables += __builtin_popcountll(mask[word] & search->group[group * search->words + word]);
        volatile double part = search->weight[group] * variables;
        total += part;
    }
    volatile double base = 2.0; /* not exp2, which may round otherwise */
    return pow(base, total < search->largest_log ? total : search->largest_log);
}

static void
set_cost(Search *search, int rank)
{
    const uint64_t *users = search->users + (Py_ssize_t)rank * search->table_words;
    double entering = 0.0;
    for (int word = 0; word < search->table_words; word++)
        for (uint64_t left = users[word]; left; left &= left - 1)
            entering += search->size[64 * word + __builtin_ctzll(left)];
    search->cost[rank] = count_of(search, search->reach + (Py_ssize_t)rank * search->words) / entering;
}

static void
begin(Search *search)
{
    for (int table = 0; table < search->tables; table++) {
        const uint64_t *scope = search->scopes + (Py_ssize_t)table * search->words;
        search->size[table] = count_of(search, scope);
        for (int word = 0; word < search->words; word++)
            for (uint64_t left = scope[word] & search->summed[word]; left; left &= left - 1) {
                const int variable = 64 * word + __builtin_ctzll(left);
                int rank = search->rank_of[variable];
                if (rank < 0) {
                    rank = search->rank_of[variable] = search->variables++;
                    search->variable_at[rank] = variable;
                    search->alive[rank] = 1;
                }
                search->users[(Py_ssize_t)rank * search->table_words + table / 64] |= (uint64_t)1 << table % 64;
                for (int each = 0; each < search->words; each++)
                    search->reach[(Py_ssize_t)rank * search->words + each] |= scope[each];
            }
    }
    for (int rank = 0; rank < search->variables; rank++)
        set_cost(search, rank);
}

/* Join the tables of a variable. scope, gone: masks; entering: of tables. Returns the size of the join. */
static double
join(Search *search, int chosen, uint64_t *scope, uint64_t *gone, uint64_t *entering)
{
    const int words = search->words, table_words = search->table_words;
    memcpy(scope, search->reach + (Py_ssize_t)chosen * words, words * sizeof *scope);
    memset(gone, 0, words * sizeof *gone);
    memset(entering, 0, table_words * sizeof *entering);
    for (int word = 0; word < words; word++)
        for (uint64_t left = scope[word] & search->summed[word]; left; left &= left - 1) {
            const int rank = search->rank_of[64 * word + __builtin_ctzll(left)];
            const uint64_t *reach = search->reach + (Py_ssize_t)rank * words;
            uint64_t outside = 0;
            for (int each = 0; each < words; each++)
                outside |= reach[each] & ~scope[each];
            if (!search->alive[rank] || outside)
                continue;
            gone[word] |= left & -left;
            for (int each = 0; each < table_words; each++)
                entering[each] |= search->users[(Py_ssize_t)rank * table_words + each];
        }
    const double work = count_of(search, scope);
    uint64_t result[words];
    for (int word = 0; word < words; word++)
        result[word] = scope[word] & ~gone[word];
    const int table = search->tables++;
    search->size[table] = count_of(search, result);
    for (int word = 0; word < words; word++)
        for (uint64_t left = scope[word] & search->summed[word]; left; left &= left - 1) {
            const int rank = search->rank_of[64 * word + __builtin_ctzll(left)];
            if (!search->alive[rank])
                continue;
            if (gone[word] & left & -left) {
                search->alive[rank] = 0;
                search->cost[rank] = INFINITY;
                continue;
            }
            uint64_t *reach = search->reach + (Py_ssize_t)rank * words;
            uint64_t *users = search->users + (Py_ssize_t)rank * table_words;
            for (int each = 0; each < words; each++)
                reach[each] = (reach[each] | scope[each]) & ~gone[each];
            for (int each = 0; each < table_words; each++)
                users[each] &= ~entering[each];
            users[table / 64] |= (uint64_t)1 << table % 64;
            set_cost(search, rank);
        }
    return work;
}

/* Write the order; returns its length. */
static int
order_of(Search *search, double most, int32_t *order, double *work)
{
    uint64_t scope[search->words], gone[search->words], entering[search->table_words];
    int length = 0, left;
    begin(search);
    *work = 0.0;
    do {
        int best = -1;
        left = 0;
        for (int rank = 0; rank < search->variables; rank++)
            if (search->alive[rank]) {
                left = 1;
                if (best < 0 || search->cost[rank] < search->cost[best])
                    best = rank;
            }
        if (!left)
            break;
        order[length++] = search->variable_at[best];
        *work += join(search, best, scope, gone, entering);
    } while (*work <= most);
    return length;
}

PyDoc_STRVAR(growth_order_doc,
"growth_order(scopes, summed, groups, weights, largest_log, most, order) -> length of the order, its work");

static PyObject *
growth_order(PyObject *module, PyObject *args)
{
    Py_buffer b[5];
    double most, work = 0.0;
    Search search = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*ddw*:growth_order", &b[0], &b[1], &b[2], &b[3], &search.largest_log, &most,
                          &b[4]))
        return NULL;
    PyObject *result = NULL;
    char *memory = NULL;
    search.words = (int)(b[1].len / 8);
    search.groups = (int)(b[3].len / 8);
    const Py_ssize_t all = 64 * (Py_ssize_t)search.words;
    search.tables = search.words ? (int)(b[0].len / 8 / search.words) : 0;
    const Py_ssize_t bytes[] = {(Py_ssize_t)search.tables * search.words * 8, search.words * 8,
                                (Py_ssize_t)search.groups * search.words * 8, search.groups * 8, all * 4};
    if (!fits(b, bytes, 5))
        goto end;
    if (search.words < 1 || search.words > 1 << 10 || search.tables > 1 << 20) {
        PyErr_SetString(PyExc_ValueError, "no masks, or too many");
        goto end;
    }
    search.scopes = b[0].buf, search.summed = b[1].buf, search.group = b[2].buf, search.weight = b[3].buf;
    search.table_words = (int)((search.tables + all + 63) / 64);
    const size_t sizes[] = {all * search.words * 8, (size_t)all * search.table_words * 8, all * 8,
                            (size_t)(search.tables + all) * 8, all * 4, all * 4, all};
    size_t total = 0;
    for (int i = 0; i < 7; i++)
        total += sizes[i];
    memory = calloc(total, 1);
    if (memory == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    char *at = memory;
    search.reach = (uint64_t *)at, at += sizes[0];
    search.users = (uint64_t *)at, at += sizes[1];
    search.cost = (double *)at, at += sizes[2];
    search.size = (double *)at, at += sizes[3];
    search.variable_at = (int *)at, at += sizes[4];
    search.rank_of = (int *)at, at += sizes[5];
    search.alive = (uint8_t *)at;
    memset(search.rank_of, 0xff, sizes[5]);
    const int length = order_of(&search, most, b[4].buf, &work);
    result = Py_BuildValue("id", length, work);
end:
    free(memory);
    release(b, 5);
    return result;
}

PyMethodDef growth_methods[] = {{"growth_order", growth_order, METH_VARARGS, growth_order_doc}, {NULL, NULL, 0, NULL}};
