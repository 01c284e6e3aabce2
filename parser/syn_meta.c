/*
 * References into the metadata, and places written as comments.
 */
#include <string.h>

#include "lexer/lex.h"
#include "parser/syn.h"
#include "parser/meta.h"

/* The comment that directly follows OFF: its text, or NULL. */
static const char *
comment_at(const struct parse_ctx *cx, size_t off, size_t *len)
{
	const struct source *s = cx->src;
	const char *end;

	while (off < s->len && (s->text[off] == ' ' || s->text[off] == '\t'))
		off++;
	if (off + 2 > s->len || memcmp(s->text + off, "/*", 2) != 0)
		return NULL;
	off += 2;
	end = memmem(s->text + off, s->len - off, "*/", 2);
	if (!end)
		return NULL;
	*len = (size_t)(end - s->text) - off;
	return s->text + off;
}

/* The number that ends at *END; *END moves before the ':' in front of it. */
static bool
number_before(const char *start, const char **end, unsigned *out)
{
	const char *at = *end;
	uint64_t n;

	while (at > start && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == *end || at == start || at[-1] != ':')
		return false;
	n = lex_digits(at, (size_t)(*end - at));
	if (n > UINT32_MAX)
		return false;
	*out = (unsigned)n;
	*end = at - 1;
	return true;
}

struct loc
syn_loc(struct parse_ctx *cx, struct loc loc)
{
	const char *text, *span, *end;
	unsigned line, column;
	size_t len;

	if (cx->no_locs)
		return LOC_NONE;
	if (!cx->has_spans)
		return loc;
	text = comment_at(cx, loc.off + loc.len, &len);
	span = text ? memmem(text, len, "span=", 5) : NULL;
	if (!span)
		return loc;
	span += 5;
	end = text + len;
	while (end > span && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (!number_before(span, &end, &column) ||
	    !number_before(span, &end, &line))
		return loc;
	return ir_module_add_span(cx->m,
				  ir_name_n(cx->cx, span, (size_t)(end - span)),
				  line, column);
}

/* The type that the comment behind LOC gives, or NULL. */
static const ir_type *
commented_type(struct parse_ctx *cx, struct loc loc)
{
	const char *text, *type;
	size_t len;

	text = comment_at(cx, loc.off + loc.len, &len);
	type = text ? memmem(text, len, "ty=", 3) : NULL;
	if (!type)
		return NULL;
	type += 3;
	return parse_type_text(cx, (size_t)(type - cx->src->text),
			       (size_t)(text + len - cx->src->text));
}

static void
warn_no_metadata(struct parse_ctx *cx, struct loc loc)
{
	if (!cx->warned_placeholder && !cx->o.data_follows)
		diag_warning(cx->d, loc,
			     "the text has no metadata section: its constants "
			     "stand without values");
	cx->warned_placeholder = true;
}

/* Read the metadata section if there is one. */
static struct meta_reader *
reader(struct parse_ctx *cx)
{
	size_t at;

	if (!cx->meta_tried) {
		cx->meta_tried = true;
		at = meta_find(cx);
		if (at < cx->src->len)
			cx->meta = meta_open(cx, at);
		else
			cx->no_metadata = true;
	}
	return cx->meta;
}

/*
 * With --allow-unknown-ops an object that the text names but does not give is
 * kept as something of that kind, equal to itself only.
 */
static ir_attr
dangling(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref)
{
	const char *id = ir_namef(cx->cx, "%s %u", ref->key, ref->index);
	const ir_meta *m = name_map_get(&cx->dangling, (uintptr_t)id);
	ir_meta new = {.type_key = ref->key};

	if (strcmp(ref->key, "SEScope") == 0)
		new.type_key = ir_name(cx->cx, "VirtualDevice");
	if (!m) {
		new.serial = ++cx->nserials;
		m = ir_meta_new(cx->cx, &new);
		name_map_set(&cx->dangling, (uintptr_t)id, m);
	}
	warn_no_metadata(cx, loc);
	return (ir_attr){.kind = ATTR_META, .meta = m};
}

static bool
lookup(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref,
       ir_attr *out)
{
	struct meta_reader *r = reader(cx);

	*out = ATTR_NONE;
	if (r)
		return meta_value(r, loc, *ref, out);
	if (!cx->no_metadata)
		return false; /* its error was reported */
	if (cx->o.allow_unknown_ops) {
		*out = dangling(cx, loc, ref);
		return true;
	}
	diag_error(cx->d, loc,
		   "the text has no metadata section to take this from");
	return false;
}

static bool
has_constants(struct parse_ctx *cx)
{
	struct meta_reader *r = reader(cx);

	return !cx->no_metadata && r && meta_has_list(r, "relay.Constant");
}

/*
 * A constant that the text names but does not give. Where its place in the
 * metadata is kept free, the writer knew.
 */
static const ir_expr *
placeholder(struct parse_ctx *cx, struct loc loc, uint32_t index)
{
	uint64_t key = (uint64_t)index + 1;
	const ir_expr *e = name_map_get(&cx->placeholders, key);

	if (!e) {
		if (!has_constants(cx))
			warn_no_metadata(cx, loc);
		e = ir_new_placeholder(cx->m, syn_loc(cx, loc), index,
				       commented_type(cx, loc));
		name_map_set(&cx->placeholders, key, e);
	} else if (!e->type) {
		ir_set_type(e, commented_type(cx, loc));
	}
	return e;
}

/* REF is a constant, and the text gives no constants. */
static bool
is_placeholder(struct parse_ctx *cx, const struct meta_ref *ref)
{
	struct meta_reader *r = reader(cx);

	if (strcmp(ref->key, "relay.Constant") != 0)
		return false;
	return cx->no_metadata || (r && !meta_has_list(r, ref->key));
}

const ir_expr *
syn_meta_expr(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref)
{
	ir_attr v;

	if (is_placeholder(cx, ref))
		return placeholder(cx, loc, ref->index);
	if (!lookup(cx, loc, ref, &v))
		return syn_hole(cx, loc);
	if (v.kind == ATTR_EXPR)
		return v.expr;
	if (v.kind == ATTR_NULL && strcmp(ref->key, "relay.Constant") == 0)
		return placeholder(cx, loc, ref->index);
	diag_error(cx->d, loc, "this object of the metadata is no expression");
	return syn_hole(cx, loc);
}

const ir_type *
syn_meta_type(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref)
{
	ir_attr v;

	if (strcmp(ref->key, "IncompleteType") == 0)
		return NULL;
	if (!lookup(cx, loc, ref, &v))
		return NULL;
	if (v.kind == ATTR_TYPE)
		return v.type;
	diag_error(cx->d, loc, "this object of the metadata is no type");
	return NULL;
}

static struct ir_dim
dim_of(struct parse_ctx *cx, struct loc loc, const ir_attr *v)
{
	struct ir_dim dim = {.value = -1, .kind = DIM_SYM};

	if (v->kind == ATTR_META) {
		dim.sym = v->meta;
		return dim;
	}
	if (v->kind == ATTR_INT && v->i >= 0) {
		dim.value = v->i;
		dim.kind = v->bits == 64 ? DIM_INT64 : DIM_INT;
		return dim;
	}
	if (v->kind != ATTR_ANY)
		diag_error(cx->d, loc,
			   "this object of the metadata is no dimension");
	return DIM_UNKNOWN;
}

void
syn_meta_dim(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref)
{
	struct ir_dim dim = DIM_UNKNOWN;
	ir_attr v;

	if (lookup(cx, loc, ref, &v))
		dim = dim_of(cx, loc, &v);
	vec_push(&cx->dims, dim);
}

ir_attr
syn_meta_attr(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref)
{
	ir_attr v;

	if (is_placeholder(cx, ref))
		return (ir_attr){.kind = ATTR_EXPR,
				 .expr = placeholder(cx, loc, ref->index)};
	lookup(cx, loc, ref, &v);
	return v;
}

void
syn_meta_value(struct parse_ctx *cx, struct loc loc, const struct meta_ref *ref)
{
	syn_value(cx, syn_meta_attr(cx, loc, ref));
}
