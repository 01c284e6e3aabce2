/*
 * reshape and its special codes.
 *
 *    n   that extent                  -2   copies all extents that are left
 *    0   copies one extent            -3   merges two extents
 *   -1   what is left over            -4   splits one: -4, a, b
 *
 * With allowzero, 0 is the extent 0.
 */
#include <inttypes.h>

#include "ir/relations/common.h"

struct reshape {
	struct rel *r;
	const struct ir_dim *in;
	uint32_t nin, next;  /* next: first input not looked at */
	const ir_attr *code; /* the new shape */
	uint32_t ncode;
	struct rel_shape out;
	bool *used_in, *used_out; /* not part of what -1 gets */
	int64_t infer;            /* place of -1, or -1 */
	bool zero_is_extent;
};

static void
emit(struct reshape *s, struct ir_dim d, bool used)
{
	s->used_out[s->out.n] = used;
	s->out.at[s->out.n++] = d;
}

/* The next input, which a code takes as its own. */
static bool
take(struct reshape *s, int64_t code, struct ir_dim *d)
{
	if (s->next >= s->nin) {
		rel_error(s->r,
			  "code %" PRId64
			  " of the new shape has no extent left in %s",
			  code, rel_show_arg(s->r, 0));
		return false;
	}
	s->used_in[s->next] = true;
	*d = s->in[s->next++];
	return true;
}

/* D / BY where that is a whole number. */
static bool
divide(struct reshape *s, struct ir_dim d, int64_t by, struct ir_dim *out)
{
	*out = DIM_UNKNOWN;
	if (d.kind == DIM_ANY)
		return true;
	if (d.kind == DIM_SYM) {
		*out = rel_ratio(s->r, d, 1, by);
		return true;
	}
	if (by <= 0 || d.value % by != 0) {
		rel_error(s->r, "extent %" PRId64 " can't be split by %" PRId64,
			  d.value, by);
		return false;
	}
	*out = ir_dim_div(d, by);
	return true;
}

static struct ir_dim
dim_of_code(const ir_attr *a)
{
	struct ir_dim d = DIM(a->i);

	if (a->bits == 64)
		d.kind = DIM_INT64;
	return d;
}

/* -4, A, B at code I. */
static bool
split_dim(struct reshape *s, uint32_t i)
{
	struct ir_dim whole, part[2];

	if (i + 2 >= s->ncode || s->code[i + 1].kind != ATTR_INT ||
	    s->code[i + 2].kind != ATTR_INT) {
		rel_error(s->r, "code -4 of the new shape needs two extents");
		return false;
	}
	int64_t a = s->code[i + 1].i, b = s->code[i + 2].i;

	if (!take(s, -4, &whole))
		return false;
	if (a < -1 || b < -1 || a == 0 || b == 0 || (a == -1 && b == -1)) {
		rel_error(s->r,
			  "extents %" PRId64 " and %" PRId64
			  " behind code -4 are not valid",
			  a, b);
		return false;
	}
	part[0] = dim_of_code(&s->code[i + 1]);
	part[1] = dim_of_code(&s->code[i + 2]);
	if (a == -1 && !divide(s, whole, b, &part[0]))
		return false;
	if (b == -1 && !divide(s, whole, a, &part[1]))
		return false;
	emit(s, part[0], true);
	emit(s, part[1], true);
	return true;
}

static bool
merge_dims(struct reshape *s)
{
	struct ir_dim a, b, product;

	if (!take(s, -3, &a) || !take(s, -3, &b) ||
	    !rel_mul(s->r, a, b, &product))
		return false;
	emit(s, product, true);
	return true;
}

/* One code; *I moves over what belongs to it. */
static bool
apply(struct reshape *s, uint32_t *i)
{
	const ir_attr *code = &s->code[*i];
	struct ir_dim d;

	if (code->kind == ATTR_ANY) {
		emit(s, DIM_UNKNOWN, false);
		s->next++;
		return true;
	}
	if (code->kind != ATTR_INT) {
		rel_error(s->r, "attribute 'newshape' must hold integers");
		return false;
	}
	if (code->i > 0 || (code->i == 0 && s->zero_is_extent)) {
		emit(s, dim_of_code(code), false);
		s->next++;
		return true;
	}
	switch (code->i) {
	case 0:
		if (!take(s, 0, &d))
			return false;
		emit(s, d, true);
		return true;
	case -1:
		if (s->infer >= 0) {
			rel_error(s->r, "the new shape has two -1");
			return false;
		}
		s->infer = s->out.n;
		emit(s, DIM(1), false);
		s->next++;
		return true;
	case -2:
		while (s->next < s->nin) {
			s->used_in[s->next] = true;
			emit(s, s->in[s->next++], true);
		}
		return true;
	case -3:
		return merge_dims(s);
	case -4:
		*i += 2;
		return split_dim(s, *i - 2);
	default:
		rel_error(s->r, "the new shape has the code %" PRId64, code->i);
		return false;
	}
}

/* The product of the extents that are not USED, known and symbolic apart. */
struct product {
	int64_t known;
	struct ir_dim symbol; /* SYM, or DIM(1) for none */
	bool wide;            /* some factor was written as int64 */
	bool unknown;
};

static bool
multiply(struct rel *r, const struct ir_dim *at, uint32_t n, const bool *used,
	 struct product *p)
{
	*p = (struct product){.known = 1, .symbol = DIM(1)};
	for (uint32_t i = 0; i < n; i++) {
		if (used && used[i])
			continue;
		if (at[i].kind == DIM_ANY ||
		    (at[i].kind == DIM_SYM && p->symbol.kind == DIM_SYM)) {
			p->unknown = true;
		} else if (at[i].kind == DIM_SYM) {
			p->symbol = at[i];
		} else if (__builtin_mul_overflow(p->known, at[i].value,
						  &p->known)) {
			rel_error(r, "a tensor of shape %s is too large",
				  rel_show_shape(r, at, n));
			return false;
		} else {
			p->wide |= at[i].kind == DIM_INT64;
		}
	}
	return true;
}

/* What -1 stands for. */
static bool
infer_rest(struct reshape *s)
{
	struct product in, out;
	struct ir_dim *rest = &s->out.at[s->infer];

	if (!multiply(s->r, s->in, s->nin, s->used_in, &in) ||
	    !multiply(s->r, s->out.at, s->out.n, s->used_out, &out))
		return false;
	*rest = DIM_UNKNOWN;
	if (in.unknown || out.unknown || out.symbol.kind == DIM_SYM)
		return true;
	if (out.known == 0) {
		rel_error(s->r, "-1 can't be told from the extents %s",
			  rel_show_shape(s->r, s->out.at, s->out.n));
		return false;
	}
	if (in.symbol.kind == DIM_SYM) {
		*rest = rel_ratio(s->r, in.symbol, in.known, out.known);
		return true;
	}
	*rest = DIM(in.known / out.known);
	if (in.wide || out.wide)
		rest->kind = DIM_INT64;
	return true;
}

static bool
same_size(struct rel *r, const struct ir_tensor_type *data,
	  const struct rel_shape *out)
{
	struct product a, b;

	if (!multiply(r, data->shape, data->ndim, NULL, &a) ||
	    !multiply(r, out->at, out->n, NULL, &b))
		return false;
	if (a.unknown || b.unknown || a.symbol.kind == DIM_SYM ||
	    b.symbol.kind == DIM_SYM || a.known == b.known)
		return true;
	rel_error_at(r, 0,
		     "%s can't be reshaped to %s: %" PRId64 " and %" PRId64
		     " elements",
		     rel_show(r, &data->base),
		     rel_show_shape(r, out->at, out->n), a.known, b.known);
	return false;
}

static void
reverse_dims(struct rel_shape *s)
{
	for (uint32_t i = 0; i < s->n / 2; i++) {
		struct ir_dim d = s->at[i];

		s->at[i] = s->at[s->n - 1 - i];
		s->at[s->n - 1 - i] = d;
	}
}

/* The codes in reverse order. */
static const ir_attr *
reverse_codes(struct rel *r, const ir_attr *a, uint32_t n)
{
	ir_attr *out = ARENA_NEW_ARRAY(r->scratch, n, ir_attr);

	for (uint32_t i = 0; i < n; i++)
		out[i] = a[n - 1 - i];
	return out;
}

static bool
new_shape(struct rel *r, const struct ir_tensor_type *data, bool reverse,
	  struct rel_shape *out)
{
	const ir_attr *a = ir_attrs_get(r->attrs, "newshape");
	struct rel_shape in = rel_copy_shape(r, data);
	struct reshape s = {.r = r, .nin = data->ndim, .infer = -1};

	if (!a || a->kind != ATTR_ARRAY) {
		rel_error(r, "attribute 'newshape' must be given");
		return false;
	}
	s.zero_is_extent = ir_attrs_bool(r->attrs, "allowzero");
	s.ncode = a->n;
	s.code = reverse ? reverse_codes(r, a->elems, a->n) : a->elems;
	if (reverse)
		reverse_dims(&in);
	s.in = in.at;
	s.used_in = ARENA_NEW_ARRAY(r->scratch, s.nin, bool);
	s.used_out = ARENA_NEW_ARRAY(r->scratch, s.nin + s.ncode, bool);
	s.out = rel_new_shape(r, s.nin + s.ncode);
	s.out.n = 0;
	for (uint32_t i = 0; i < s.ncode; i++)
		if (!apply(&s, &i))
			return false;
	if (s.infer >= 0 && !infer_rest(&s))
		return false;
	if (reverse)
		reverse_dims(&s.out);
	*out = s.out;
	return same_size(r, data, out);
}

static enum rel_result
reshape(struct rel *r, bool reverse)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!new_shape(r, data, reverse, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_reshape(struct rel *r)
{
	return reshape(r, false);
}

enum rel_result
rel_reverse_reshape(struct rel *r)
{
	return reshape(r, true);
}

/* A position among RANK + 1; null is the end. */
static bool
position(struct rel *r, const char *name, uint32_t rank, int64_t *out)
{
	*out = ir_attrs_int(r->attrs, name, rank);
	if (*out < 0)
		*out += rank;
	if (*out >= 0 && *out <= (int64_t)rank)
		return true;
	rel_error(r, "attribute '%s' is out of range for rank %" PRIu32, name,
		  rank);
	return false;
}

enum rel_result
rel_reshape_like(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *like = rel_tensor(r, 1);
	int64_t lb, le, rb, re;
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!like)
		return rel_wait(r, 1);
	if (!position(r, "lhs_begin", data->ndim, &lb) ||
	    !position(r, "lhs_end", data->ndim, &le) ||
	    !position(r, "rhs_begin", like->ndim, &rb) ||
	    !position(r, "rhs_end", like->ndim, &re))
		return REL_FAIL;
	if (lb > le || rb > re)
		return rel_error(r, "a range of axes ends before it begins");
	out = rel_new_shape(r, data->ndim + like->ndim);
	out.n = 0;
	for (int64_t i = 0; i < lb; i++)
		out.at[out.n++] = data->shape[i];
	for (int64_t i = rb; i < re; i++)
		out.at[out.n++] = like->shape[i];
	for (int64_t i = le; i < (int64_t)data->ndim; i++)
		out.at[out.n++] = data->shape[i];
	if (!same_size(r, data, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}
