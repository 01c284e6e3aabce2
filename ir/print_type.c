/*
 * Types. Texts are kept by type: in a typed module the same few types stand
 * in thousands of comments.
 */
#include "ir/print_internal.h"

#include <string.h>

/* What is still to be written: a type, or a text between types. */
struct piece {
	const ir_type *type; /* or NULL: TEXT */
	const char *text;
};

typedef VEC(struct piece) piece_vec;

/* How symbolic dimensions and holes are written: P is NULL in messages. */
struct type_writer {
	struct print *p;
	struct buf *out;
};

static void
push_text(piece_vec *todo, const char *text)
{
	vec_push(todo, ((struct piece){NULL, text}));
}

/* The types of AT, separated by commas, to be written next. */
static void
push_list(piece_vec *todo, const ir_type *const *at, uint32_t n)
{
	for (uint32_t i = n; i > 0; i--) {
		vec_push(todo, ((struct piece){at[i - 1], NULL}));
		if (i > 1)
			push_text(todo, ", ");
	}
}

/* The name of symbolic dimension M for a message. */
static void
put_symbol(struct buf *out, const ir_meta *m)
{
	const ir_meta *name = ir_meta_object(m, "name");

	if (name && name->repr)
		buf_puts(out, name->repr);
	else
		buf_printf(out, "<%s>", m->type_key);
}

static void
put_dim(struct type_writer *w, struct ir_dim d)
{
	switch (d.kind) {
	case DIM_INT:
	case DIM_INT64:
		buf_int(w->out, d.value);
		if (d.kind == DIM_INT64)
			buf_puts(w->out, "i64");
		break;
	case DIM_ANY:
		buf_putc(w->out, '?');
		break;
	case DIM_SYM:
		if (w->p)
			print_meta_ref(w->p, d.sym);
		else
			put_symbol(w->out, d.sym);
		break;
	}
}

static void
put_tensor(struct type_writer *w, const struct ir_tensor_type *t)
{
	char dtype[DTYPE_TEXT];

	dtype_text(t->dtype, dtype);
	if (t->ndim == 0) {
		buf_puts(w->out, dtype);
		return;
	}
	buf_puts(w->out, "Tensor[(");
	for (uint32_t i = 0; i < t->ndim; i++) {
		if (i)
			buf_puts(w->out, ", ");
		put_dim(w, t->shape[i]);
	}
	buf_puts(w->out, "), ");
	buf_puts(w->out, dtype);
	buf_putc(w->out, ']');
}

static void
put_func(struct type_writer *w, piece_vec *todo, const struct ir_func_type *t)
{
	buf_puts(w->out, "fn ");
	push_text(todo, NULL);
	vec_last(todo).type = t->ret;
	push_text(todo, ") -> ");
	push_list(todo, t->params, t->nparams);
	push_text(todo, "(");
	if (t->nvars == 0)
		return;
	push_text(todo, "]");
	push_list(todo, t->vars, t->nvars);
	push_text(todo, "[");
}

/* Write what stands before T's parts; leave the rest on TODO. */
static void
put_one(struct type_writer *w, piece_vec *todo, const ir_type *t)
{
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TENSOR:
		put_tensor(w, ir_as_tensor_type(t));
		break;
	case TYPE_TUPLE:
		push_text(todo, ir_as_tuple_type(t)->nfields == 1 ? ",)" : ")");
		push_list(todo, ir_as_tuple_type(t)->fields,
			  ir_as_tuple_type(t)->nfields);
		buf_putc(w->out, '(');
		break;
	case TYPE_FUNC:
		put_func(w, todo, ir_as_func_type(t));
		break;
	case TYPE_REF:
		push_text(todo, ")");
		push_list(todo, &ir_as_ref_type(t)->value, 1);
		buf_puts(w->out, "ref(");
		break;
	case TYPE_ADT:
		push_text(todo, "]");
		push_list(todo, ir_as_adt_type(t)->args,
			  ir_as_adt_type(t)->nargs);
		buf_puts(w->out, ir_as_adt_type(t)->name);
		buf_putc(w->out, '[');
		break;
	case TYPE_VAR:
		buf_puts(w->out, ir_as_type_var(t)->name);
		break;
	case TYPE_HOLE:
		if (w->p && w->p->o->meta == PRINT_META_INLINE)
			print_meta_ref(w->p, t);
		else
			buf_putc(w->out, '_');
		break;
	}
}

static void
put_type(struct type_writer *w, const ir_type *t)
{
	piece_vec todo = {0};

	put_one(w, &todo, t);
	while (todo.len) {
		struct piece next = vec_pop(&todo);

		if (next.type)
			put_one(w, &todo, next.type);
		else
			buf_puts(w->out, next.text);
	}
	vec_free(&todo);
}

void
ir_print_type(struct buf *out, const ir_type *t)
{
	put_type(&(struct type_writer){NULL, out}, t);
}

const char *
ir_type_text(ir_context *cx, const ir_type *t)
{
	struct buf text = {0};
	const char *name;

	ir_print_type(&text, t);
	name = ir_name_n(cx, text.at, text.len);
	buf_free(&text);
	return name;
}

static struct print_text *
cached(struct print *p, const ir_type *t)
{
	if (t->id >= p->ntypes) {
		uint32_t n = t->id * 2 + 64;

		p->types = xrealloc(p->types, n * sizeof(*p->types));
		memset(p->types + p->ntypes, 0,
		       (n - p->ntypes) * sizeof(*p->types));
		p->ntypes = n;
	}
	return &p->types[t->id];
}

void
print_type(struct print *p, const ir_type *t)
{
	struct print_text *text = cached(p, t);
	size_t start = p->out->len;

	if (text->at) {
		buf_put(p->out, text->at, text->len);
		return;
	}
	put_type(&(struct type_writer){p, p->out}, t);
	text->len = (uint32_t)(p->out->len - start);
	text->at = arena_strndup(&p->arena, p->out->at + start, text->len);
}

/* Give indices to the metadata that T's own level mentions. */
static void
plan_one(struct print *p, const ir_type *t)
{
	const struct ir_tensor_type *tensor;

	if (t->kind == TYPE_HOLE && p->o->meta == PRINT_META_INLINE)
		print_meta_add(p, "IncompleteType", PRINT_META_TYPE, t, t);
	if (t->kind != TYPE_TENSOR)
		return;
	tensor = ir_as_tensor_type(t);
	for (uint32_t i = 0; i < tensor->ndim; i++)
		if (tensor->shape[i].kind == DIM_SYM)
			print_meta_add(p, tensor->shape[i].sym->type_key,
				       PRINT_META_OBJECT, tensor->shape[i].sym,
				       tensor->shape[i].sym);
}

static void
push_parts(piece_vec *todo, const ir_type *t)
{
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TUPLE:
		push_list(todo, ir_as_tuple_type(t)->fields,
			  ir_as_tuple_type(t)->nfields);
		break;
	case TYPE_FUNC:
		push_list(todo, &ir_as_func_type(t)->ret, 1);
		push_list(todo, ir_as_func_type(t)->params,
			  ir_as_func_type(t)->nparams);
		break;
	case TYPE_REF:
		push_list(todo, &ir_as_ref_type(t)->value, 1);
		break;
	case TYPE_ADT:
		push_list(todo, ir_as_adt_type(t)->args,
			  ir_as_adt_type(t)->nargs);
		break;
	default:
		break;
	}
}

/* Metadata that T mentions, in the order of its text. */
void
print_plan_type(struct print *p, const ir_type *t)
{
	piece_vec todo = {0};

	if (!(t->flags & (TYPE_HAS_HOLE | TYPE_HAS_ANY)))
		return;
	plan_one(p, t);
	push_parts(&todo, t);
	while (todo.len) {
		const ir_type *next = vec_pop(&todo).type;

		if (!next || !(next->flags & (TYPE_HAS_HOLE | TYPE_HAS_ANY)))
			continue;
		plan_one(p, next);
		push_parts(&todo, next);
	}
	vec_free(&todo);
}
