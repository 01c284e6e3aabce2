/*
 * Operators of plugins: their rows, attributes and type relations.
 */
#include "passes/plugin/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/relation.h"
#include "support/arena.h"

static int64_t
attr_int(const relay_attrs *a, const char *name)
{
	const ir_attr *v = ir_attrs_get((const ir_attrs *)a, name);

	return v && v->kind == ATTR_INT ? v->i : 0;
}

static double
attr_float(const relay_attrs *a, const char *name)
{
	const ir_attr *v = ir_attrs_get((const ir_attrs *)a, name);

	if (v && v->kind == ATTR_FLOAT)
		return v->f;
	return (double)attr_int(a, name);
}

static int
attr_bool(const relay_attrs *a, const char *name)
{
	const ir_attr *v = ir_attrs_get((const ir_attrs *)a, name);

	return v && v->kind == ATTR_BOOL && v->b;
}

static const char *
attr_string(const relay_attrs *a, const char *name)
{
	const ir_attr *v = ir_attrs_get((const ir_attrs *)a, name);

	return v && v->kind == ATTR_STRING ? v->s : "";
}

static int
attr_ints(const relay_attrs *a, const char *name, int64_t *out, int max)
{
	const ir_attr *v = ir_attrs_get((const ir_attrs *)a, name);

	if (!v || v->kind != ATTR_ARRAY)
		return 0;
	for (uint32_t i = 0; i < v->n && (int)i < max; i++)
		out[i] = v->elems[i].kind == ATTR_INT ? v->elems[i].i : 0;
	return (int)v->n;
}

static const relay_attrs *
relation_attrs(const relay_relation *r)
{
	return (const relay_attrs *)((const struct rel *)r)->attrs;
}

static int
input(relay_relation *r, unsigned i, relay_type *type, int64_t *shape)
{
	const struct ir_tensor_type *t = rel_tensor((struct rel *)r, i);

	if (!t || t->ndim > RELAY_MAX_RANK)
		return -1;
	*type = plugin_type(t->dtype);
	for (uint32_t d = 0; d < t->ndim; d++)
		shape[d] = ir_dim_is_const(t->shape[d]) ? t->shape[d].value
							: RELAY_ANY;
	return (int)t->ndim;
}

static relay_outcome
outcome(enum rel_result r)
{
	return r == REL_DONE    ? RELAY_DONE
	       : r == REL_DEFER ? RELAY_WAIT
				: RELAY_FAIL;
}

static relay_outcome
wait_for(relay_relation *handle, unsigned i)
{
	struct rel *r = (struct rel *)handle;
	const struct ir_tensor_type *t = rel_tensor(r, i);

	if (t)
		return outcome(rel_error(r, "more than %d dimensions",
					 RELAY_MAX_RANK));
	return outcome(rel_wait(r, i));
}

static relay_outcome
result(relay_relation *handle, relay_type type, const int64_t *shape, int rank)
{
	struct ir_dim dims[RELAY_MAX_RANK];
	struct rel *r = (struct rel *)handle;
	int64_t size = 1;

	if (rank < 0 || rank > RELAY_MAX_RANK)
		return outcome(rel_error(r, "the result has rank %d", rank));
	for (int i = 0; i < rank; i++) {
		if (shape[i] < RELAY_ANY ||
		    (shape[i] > 0 &&
		     __builtin_mul_overflow(size, shape[i], &size)))
			return outcome(rel_error(r, "the result has an extent "
						    "that cannot be"));
		dims[i] = shape[i] == RELAY_ANY ? DIM_UNKNOWN : DIM(shape[i]);
	}
	return outcome(
		rel_assign_tensor(r, plugin_dtype(type), dims, (uint32_t)rank));
}

static relay_outcome
relation_error(relay_relation *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return outcome(rel_error((struct rel *)r, "%s", text));
}

void
plugin_api_types(relay_api *api)
{
	api->attr_int = attr_int;
	api->attr_float = attr_float;
	api->attr_bool = attr_bool;
	api->attr_string = attr_string;
	api->attr_ints = attr_ints;
	api->relation_attrs = relation_attrs;
	api->input = input;
	api->wait = wait_for;
	api->result = result;
	api->relation_error = relation_error;
}

/* Rows of plugins by the number of their operator, from the first on. */
enum { MAX_OPS = 512 };
static const relay_plugin_op *rows[MAX_OPS];

static const relay_plugin_op *
row_of(const ir_op *op)
{
	return rows[op->id - OP_UNKNOWN - 1];
}

static enum rel_result
relation(struct rel *r)
{
	switch (row_of(r->op)->relation((relay_relation *)r)) {
	case RELAY_DONE:
		return REL_DONE;
	case RELAY_WAIT:
		return REL_DEFER;
	default:
		return REL_FAIL;
	}
}

static bool
compute(struct te_call *c)
{
	return row_of(c->op)->compute((relay_rule *)c) && c->out[0] &&
	       !c->failed;
}

static unsigned
count_attrs(const relay_plugin_op *row)
{
	unsigned n = 0;

	while (row->attrs && row->attrs[n].name)
		n++;
	return n;
}

static int
count_inputs(const char *inputs)
{
	int n = *inputs != '\0';

	for (const char *s = inputs; *s; s++)
		n += *s == ',';
	return n;
}

/* The record of ROW's attributes; it lives to the end of the process. */
static const struct attrs_schema *
make_schema(const relay_plugin_op *row)
{
	static const enum attr_type types[] = {
		[RELAY_ATTR_INT] = ATTR_TYPE_INT,
		[RELAY_ATTR_FLOAT] = ATTR_TYPE_FLOAT,
		[RELAY_ATTR_BOOL] = ATTR_TYPE_BOOL,
		[RELAY_ATTR_STRING] = ATTR_TYPE_STRING,
		[RELAY_ATTR_INTS] = ATTR_TYPE_INTS,
	};
	unsigned n = count_attrs(row);
	struct attr_field *fields = xcalloc(n + 1, sizeof(*fields));
	struct attrs_schema *s = xcalloc(1, sizeof(*s));
	size_t len = strlen(row->name) + sizeof("relay.attrs.plugin.");
	char *key = xmalloc(len);

	for (unsigned i = 0; i < n; i++) {
		const relay_plugin_attr *a = &row->attrs[i];

		fields[i].name = a->name;
		fields[i].type = types[a->kind];
		fields[i].need = a->deflt ? ATTR_DEFAULT : ATTR_REQUIRED;
		fields[i].default_text = a->deflt ? a->deflt : "null";
	}
	snprintf(key, len, "relay.attrs.plugin.%s", row->name);
	*s = (struct attrs_schema){key, ATTRS_COUNT, n, fields};
	attrs_schema_add(s);
	return s;
}

bool
plugin_add_op(const relay_plugin_op *row, struct diag *d)
{
	ir_op op = {.name = row->name,
		    .pattern = (enum op_pattern)row->pattern,
		    .tier = 4};
	const ir_op *new;

	if (!row->inputs || !row->summary || !row->relation) {
		diag_error(d, LOC_NONE,
			   "operator '%s' of a plugin lacks its inputs, its "
			   "relation or its summary",
			   row->name);
		return false;
	}
	op.inputs = row->inputs;
	op.summary = row->summary;
	op.ninputs = count_inputs(row->inputs);
	op.relation = relation;
	if (!ir_op_find(row->name, strlen(row->name)) && count_attrs(row))
		op.attrs = make_schema(row);
	new = ir_op_add(&op);
	if (!new) {
		diag_error(d, LOC_NONE, "there is an operator '%s' already",
			   row->name);
		return false;
	}
	rows[new->id - OP_UNKNOWN - 1] = row;
	te_compute_add(new->id, row->compute ? compute : NULL);
	return true;
}
