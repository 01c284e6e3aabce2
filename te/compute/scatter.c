/*
 * Scattering: a copy of the data with updates put at given places.
 */
#include "te/compute/routine.h"

#include <string.h>

enum { MAX_RANK = 6 };

static int
reduction_of(struct te_call *c, const char *attr)
{
	static const char *const names[] = {"update", "add", "mul",
					    "mean",   "min", "max"};
	const char *how = te_attr_string(c, attr);

	for (int i = 0; i < 6; i++)
		if (strcmp(names[i], how) == 0)
			return i;
	te_error(c, "'%s' is no way to put an update", how);
	return -1;
}

static int64_t
dtype_number(struct dtype t)
{
	return 256 * t.code + t.bits;
}

static void
put_extents(struct te_extern *x, const int64_t *shape, uint32_t n)
{
	for (uint32_t i = 0; i < MAX_RANK; i++)
		te_extern_int(x, i < n ? shape[i] : 1);
}

static struct te_extern *
begin(struct te_call *c, const char *symbol, struct te_tensor *updates)
{
	struct te_extern *x = te_extern_begin(c, NULL, symbol);
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, shape);

	te_extern_output(x, te_out_dtype(c, 0), shape, ndim);
	te_extern_tensor(x, c->in[0]);
	te_extern_tensor(x, c->in[1]);
	te_extern_tensor(x, updates);
	return x;
}

/* The data has an element for every index along axis I. */
static bool
reaches(struct te_call *c, uint32_t i)
{
	int64_t n = c->in[0]->shape[i], m = c->in[1]->shape[i];

	return te_require(c, te_cmp(c, TIR_LE, te_dim(c, m), te_dim(c, n)), m,
			  n,
			  ir_namef(c->m->cx,
				   "there are more indices than elements "
				   "along axis %u",
				   i));
}

/*
 * The updates that there are indices for: of as many axes, and at least as
 * long. NULL after te_error.
 */
static struct te_tensor *
used_updates(struct te_call *c)
{
	struct te_tensor *u = c->in[2];
	const struct te_tensor *at = c->in[1];
	bool all = u->ndim == at->ndim;
	struct te_body *b;

	if (!all || !dtype_equal(u->dtype, c->in[0]->dtype)) {
		(void)routine_expect(c, 2, c->in[0]->dtype, at->shape,
				     at->ndim);
		return NULL;
	}
	for (uint32_t i = 0; i < u->ndim; i++) {
		if (!te_require(c,
				te_cmp(c, TIR_LE, te_dim(c, at->shape[i]),
				       te_dim(c, u->shape[i])),
				at->shape[i], u->shape[i],
				"there are more indices than updates"))
			return NULL;
		all &= u->shape[i] == at->shape[i];
	}
	if (all)
		return u;
	b = te_begin(c, "used", "a,b,c,d,e,f", at->shape, at->ndim);
	return te_end(b, te_get(c, u, b->i));
}

bool
compute_scatter_elements(struct te_call *c)
{
	const struct te_tensor *data = c->in[0];
	const struct te_tensor *at = c->in[1];
	int how = reduction_of(c, "reduction");
	struct te_tensor *updates;
	struct te_extern *x;
	struct te_tensor *out[1];

	if (how < 0)
		return false;
	if (data->ndim > MAX_RANK)
		return te_error(c, "the data has more than %d axes", MAX_RANK);
	if (at->ndim != data->ndim)
		return te_error(c, "data and indices differ in rank");
	if (!te_is_axis(c, te_attr_int(c, "axis", 0), data->ndim))
		return false;
	updates = used_updates(c);
	if (!updates)
		return false;
	for (uint32_t i = 0; i < data->ndim; i++)
		if (i != te_axis_of(te_attr_int(c, "axis", 0), data->ndim) &&
		    !reaches(c, i))
			return false;
	x = begin(c, "relay_scatter_elements", updates);
	te_extern_int(x, te_axis_of(te_attr_int(c, "axis", 0), data->ndim));
	te_extern_int(x, how);
	te_extern_int(x, dtype_number(data->dtype));
	te_extern_int(x, dtype_number(at->dtype));
	te_extern_int(x, data->ndim);
	put_extents(x, data->shape, data->ndim);
	put_extents(x, at->shape, at->ndim);
	te_extern_end(x, out);
	return te_output(c, 0, out[0]);
}

bool
compute_scatter_nd(struct te_call *c)
{
	const struct te_tensor *data = c->in[0];
	const struct te_tensor *at = c->in[1];
	int how = reduction_of(c, "mode");
	uint32_t m = (uint32_t)at->shape[0];
	int64_t points = 1;
	int64_t slice = 1;
	int64_t like[TE_MAX_RANK];
	uint32_t n = 0;
	struct te_extern *x;
	struct te_tensor *out[1];

	if (how < 0)
		return false;
	if (m > data->ndim || m > MAX_RANK)
		return te_error(c, "there are too many coordinates");
	for (uint32_t i = 1; i < at->ndim; i++)
		like[n++] = at->shape[i];
	for (uint32_t i = m; i < data->ndim && n < TE_MAX_RANK; i++)
		like[n++] = data->shape[i];
	if (!routine_expect(c, 2, data->dtype, like, n))
		return false;
	for (uint32_t i = 1; i < at->ndim; i++)
		points = te_dim_mul(c, points, at->shape[i]);
	for (uint32_t i = m; i < data->ndim; i++)
		slice = te_dim_mul(c, slice, data->shape[i]);
	x = begin(c, "relay_scatter_nd", c->in[2]);
	te_extern_int(x, how);
	te_extern_int(x, dtype_number(data->dtype));
	te_extern_int(x, dtype_number(at->dtype));
	te_extern_int(x, m);
	te_extern_int(x, points);
	te_extern_int(x, slice);
	put_extents(x, data->shape, m);
	te_extern_end(x, out);
	return te_output(c, 0, out[0]);
}
