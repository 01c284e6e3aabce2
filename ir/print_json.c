/*
 * The metadata section: the objects that the text refers to, flattened to a
 * list of JSON nodes as TVM writes it.
 *
 * Nodes are numbered depth first, each when it is first met and before its
 * parts. Since a node names its parts by number, all numbers are given first
 * and the text is made afterwards.
 */
#include <string.h>

#include "ir/print_json_internal.h"

/* Objects without identity that TVM makes afresh for each user. */
static bool
is_made_afresh(const ir_meta *m)
{
	static const char *const keys[] = {
		"Array", "FloatImm", "IntImm",
		"Map",   "PrimType", "runtime.String",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(m->type_key, keys[i]) == 0)
			return !m->serial;
	return false;
}

/* Objects of which there is one for all users. */
static bool
is_shared(const struct json_ref *r)
{
	const ir_type *t = r->object;

	switch (r->kind) {
	case REF_EXPR:
	case REF_DEVICE:
	case REF_DICT:
	case REF_TOLD:
	case REF_SPAN:
	case REF_SOURCE:
		return r->object != NULL;
	case REF_TYPE:
		return t->kind == TYPE_VAR || t->kind == TYPE_HOLE;
	case REF_META:
		return !is_made_afresh(r->object);
	default:
		return false;
	}
}

/* Values that stand for another object are that object. */
static struct json_ref
resolve(const struct json *j, struct json_ref r)
{
	const void *told;

	const ir_attr *a = r.object;

	if (r.kind != REF_ATTR)
		return r;
	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_NULL:
		r.kind = REF_NULL;
		break;
	case ATTR_DICT:
		r.kind = a->boxed ? REF_DICT_ATTRS : REF_DICT;
		r.object = a->dict;
		break;
	case ATTR_EXPR:
		r.kind = a->expr->kind == IR_VAR ||
					 a->expr->kind == IR_GLOBAL ||
					 (a->expr->kind == IR_CONSTANT &&
					  ir_as_constant(a->expr)->data)
				 ? REF_EXPR
				 : REF_NULL;
		r.object = a->expr;
		told = print_told_constant(j->p, a->expr);
		if (told)
			r = (struct json_ref){REF_TOLD, told, r.slot};
		break;
	case ATTR_TYPE:
		r.kind = REF_TYPE;
		r.object = a->type;
		break;
	case ATTR_RECORD:
		r.kind = REF_RECORD;
		r.object = a->record;
		break;
	case ATTR_META:
		r.kind = REF_META;
		r.object = a->meta;
		break;
	default:
		break;
	}
	return r;
}

/* Keep what was collected for N; parts go onto the stack, first on top. */
static void
close_node(struct json *j, struct json_node *n)
{
	uint32_t part = 0;
	uint32_t named = 0;

	n->nfields = (uint32_t)j->fields.len;
	n->fields = arena_copy(j->arena, j->fields.at,
			       j->fields.len * sizeof(*n->fields));
	for (uint32_t i = 0; i < n->nfields; i++)
		if (!n->fields[i].text)
			j->parts.at[named++].slot = &n->fields[i].number;
	n->ndata = (uint32_t)j->parts.len - named;
	n->data = ARENA_NEW_ARRAY(j->arena, n->ndata, uint32_t);
	for (part = named; part < j->parts.len; part++)
		j->parts.at[part].slot = &n->data[part - named];
	for (size_t i = j->parts.len; i > 0; i--)
		vec_push(&j->todo, j->parts.at[i - 1]);
	j->fields.len = 0;
	j->parts.len = 0;
}

static void
number_one(struct json *j, struct json_ref r)
{
	struct json_node n = {.type_key = ""};
	uintptr_t *number;
	bool is_new;

	r = resolve(j, r);
	if (r.kind == REF_NULL) {
		*r.slot = 0;
		return;
	}
	if (is_shared(&r)) {
		number = ptrmap_add(&j->shared, r.object, &is_new);
		if (!is_new) {
			*r.slot = (uint32_t)*number;
			return;
		}
		*number = j->nodes.len;
	}
	*r.slot = (uint32_t)j->nodes.len;
	print_json_make(j, &n, r);
	close_node(j, &n);
	vec_push(&j->nodes, n);
}

void
print_json(struct print *p)
{
	struct json j = {.p = p, .out = p->out, .arena = &p->arena};
	uint32_t root = 0;

	vec_push(&j.nodes, ((struct json_node){.type_key = ""}));
	vec_push(&j.todo, ((struct json_ref){REF_ROOT, NULL, &root}));
	while (j.todo.len)
		number_one(&j, vec_pop(&j.todo));
	print_json_text(&j);
	vec_free(&j.nodes);
	vec_free(&j.todo);
	vec_free(&j.parts);
	vec_free(&j.fields);
	vec_free(&j.tensors);
	ptrmap_free(&j.shared);
}
