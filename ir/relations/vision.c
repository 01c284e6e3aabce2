/* Detection: boxes, anchors, regions. */
#include <inttypes.h>
#include <string.h>

#include "ir/relations/common.h"

static const struct dtype int32 = {DTYPE_INT, 32, 1};
static const struct dtype int64 = {DTYPE_INT, 64, 1};
static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};

static const ir_type *
tensor(struct rel *r, struct dtype t, const struct ir_dim *at, uint32_t n)
{
	return ir_type_tensor(r->cx, t, at, n);
}

/* Input I must be known and have RANK. */
static enum rel_result
ranked(struct rel *r, uint32_t i, uint32_t rank,
       const struct ir_tensor_type **out)
{
	*out = rel_tensor(r, i);
	if (!*out)
		return rel_wait(r, i);
	return rel_check_rank(r, i, *out, rank) ? REL_DONE : REL_FAIL;
}

/* An axis of input I has N entries. */
static bool
has_extent(struct rel *r, uint32_t i, const struct ir_tensor_type *t,
	   uint32_t axis, struct ir_dim n)
{
	if (ir_dim_may_equal(t->shape[axis], n))
		return true;
	rel_error_at(r, i,
		     "axis %" PRIu32 " of '%s' must be %s, but its type is %s",
		     axis, rel_input(r, i), rel_show_dim(r, n),
		     rel_show(r, &t->base));
	return false;
}

enum rel_result
rel_get_valid_count(struct rel *r)
{
	const struct ir_tensor_type *data;
	enum rel_result ok = ranked(r, 0, 3, &data);
	const ir_type *fields[3];

	if (ok != REL_DONE)
		return ok;
	fields[0] = tensor(r, int32, data->shape, 1);
	fields[1] = &data->base;
	fields[2] = tensor(r, int32, data->shape, 2);
	return rel_finish_tuple(r, fields, 3);
}

enum rel_result
rel_nms(struct rel *r)
{
	const struct ir_tensor_type *data;
	enum rel_result ok = ranked(r, 0, 3, &data);
	const ir_type *fields[2];
	struct ir_dim count[2];

	if (ok != REL_DONE)
		return ok;
	if (!ir_attrs_bool(r->attrs, "return_indices"))
		return rel_assign(r, &data->base);
	count[0] = data->shape[0];
	count[1] = DIM(1);
	fields[0] = tensor(r, int32, data->shape, 2);
	fields[1] = tensor(r, int32, count, 2);
	return rel_finish_tuple(r, fields, 2);
}

/* Rows of (batch, class, box), packed. */
static enum rel_result
all_class_onnx(struct rel *r, struct ir_dim batch, struct ir_dim per_batch)
{
	struct ir_dim rows[2];
	const ir_type *fields[2];

	if (!rel_mul(r, batch, per_batch, &rows[0]))
		return REL_FAIL;
	rows[1] = DIM(3);
	fields[0] = tensor(r, int64, rows, 2);
	fields[1] = rel_vector_type(r, int64, DIM(1));
	return rel_finish_tuple(r, fields, 2);
}

static enum rel_result
all_class_tensorflow(struct rel *r, struct ir_dim batch,
		     struct ir_dim per_batch)
{
	struct ir_dim at[3] = {batch, per_batch, DIM(2)};
	const ir_type *fields[3];

	fields[0] = tensor(r, int64, at, 3);
	fields[1] = tensor(r, float32, at, 2);
	fields[2] = tensor(r, int64, at, 1);
	return rel_finish_tuple(r, fields, 3);
}

enum rel_result
rel_all_class_nms(struct rel *r)
{
	const struct ir_tensor_type *boxes, *scores;
	enum rel_result ok = ranked(r, 0, 3, &boxes);
	struct ir_dim per_batch;

	if (ok != REL_DONE || (ok = ranked(r, 1, 3, &scores)) != REL_DONE)
		return ok;
	if (!has_extent(r, 0, boxes, 2, DIM(4)) ||
	    !has_extent(r, 1, scores, 0, boxes->shape[0]) ||
	    !has_extent(r, 1, scores, 2, boxes->shape[1]) ||
	    !rel_mul(r, scores->shape[1], boxes->shape[1], &per_batch))
		return REL_FAIL;
	if (strcmp(ir_attrs_string(r->attrs, "output_format"), "onnx") == 0)
		return all_class_onnx(r, scores->shape[0], per_batch);
	return all_class_tensorflow(r, scores->shape[0], per_batch);
}

enum rel_result
rel_regular_nms(struct rel *r)
{
	const struct ir_tensor_type *boxes, *scores;
	enum rel_result ok = ranked(r, 0, 3, &boxes);
	int64_t n = ir_attrs_int(r->attrs, "max_detections", 0);
	const ir_type *fields[4];
	struct ir_dim at[3];

	if (ok != REL_DONE || (ok = ranked(r, 1, 3, &scores)) != REL_DONE)
		return ok;
	if (n < 0 || n > INT32_MAX)
		return rel_error(r, "attribute 'max_detections' must not be "
				    "negative");
	if (!has_extent(r, 0, boxes, 2, DIM(4)) ||
	    !has_extent(r, 1, scores, 0, boxes->shape[0]))
		return REL_FAIL;
	at[0] = boxes->shape[0];
	at[1] = DIM(n);
	at[2] = DIM(4);
	fields[0] = tensor(r, float32, at, 3);
	fields[1] = fields[2] = tensor(r, float32, at, 2);
	fields[3] = tensor(r, int32, at, 1);
	return rel_finish_tuple(r, fields, 4);
}

/* One pooled image for each region: (R, C, h, w), or channels last. */
static enum rel_result
roi(struct rel *r)
{
	const struct ir_tensor_type *data, *rois;
	enum rel_result ok = ranked(r, 0, 4, &data);
	struct rel_shape size, s, out;
	struct ir_layout l;
	bool given;

	if (ok != REL_DONE || (ok = ranked(r, 1, 2, &rois)) != REL_DONE)
		return ok;
	if (!rel_layout_like(r, "layout", NULL, "NCHW", &l) ||
	    !rel_to_canon(r, 0, data, &l, "NCHW", &s) ||
	    !rel_dims(r, "pooled_size", &size, &given))
		return REL_FAIL;
	if (size.n != 2)
		return rel_error(r, "attribute 'pooled_size' must have 2 "
				    "values");
	s.at[0] = rois->shape[0];
	s.at[2] = size.at[0];
	s.at[3] = size.at[1];
	if (!rel_from_canon(r, &s, "NCHW", &l, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_roi_align(struct rel *r)
{
	return roi(r);
}

enum rel_result
rel_roi_pool(struct rel *r)
{
	return roi(r);
}

enum rel_result
rel_proposal(struct rel *r)
{
	const struct ir_tensor_type *prob, *deltas, *info;
	enum rel_result ok = ranked(r, 0, 4, &prob);
	int64_t n = ir_attrs_int(r->attrs, "rpn_post_nms_top_n", 300);
	struct ir_dim at[2] = {DIM(0), DIM(5)};
	struct rel_shape out = {2, at};

	if (ok != REL_DONE || (ok = ranked(r, 1, 4, &deltas)) != REL_DONE ||
	    (ok = ranked(r, 2, 2, &info)) != REL_DONE)
		return ok;
	if (n < 1)
		return rel_error(r, "attribute 'rpn_post_nms_top_n' must be "
				    "positive");
	if (!has_extent(r, 2, info, 1, DIM(3)) ||
	    !rel_mul(r, prob->shape[0], DIM(n), &at[0]))
		return REL_FAIL;
	return rel_finish(r, prob->dtype, &out);
}

static uint32_t
list_length(struct rel *r, const char *name)
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);

	return a && a->kind == ATTR_ARRAY ? a->n : 0;
}

enum rel_result
rel_multibox_prior(struct rel *r)
{
	const struct ir_tensor_type *data;
	enum rel_result ok = ranked(r, 0, 4, &data);
	uint32_t sizes = list_length(r, "sizes");
	uint32_t ratios = list_length(r, "ratios");
	struct ir_dim at[3] = {DIM(1), DIM(0), DIM(4)};
	struct rel_shape out = {3, at};

	if (ok != REL_DONE)
		return ok;
	if (sizes + ratios < 2)
		return rel_error(r, "attributes 'sizes' and 'ratios' must not "
				    "be empty");
	if (!rel_mul(r, data->shape[2], data->shape[3], &at[1]) ||
	    !rel_mul(r, at[1], DIM(sizes + ratios - 1), &at[1]))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_multi_box_transform_loc(struct rel *r)
{
	const struct ir_tensor_type *cls, *loc, *anchor;
	enum rel_result ok = ranked(r, 0, 3, &cls);
	struct ir_dim at[3], four;
	const ir_type *fields[2];

	if (ok != REL_DONE || (ok = ranked(r, 1, 2, &loc)) != REL_DONE ||
	    (ok = ranked(r, 2, 3, &anchor)) != REL_DONE)
		return ok;
	if (!rel_mul(r, cls->shape[2], DIM(4), &four) ||
	    !has_extent(r, 1, loc, 1, four) ||
	    !has_extent(r, 2, anchor, 1, cls->shape[2]) ||
	    !has_extent(r, 2, anchor, 0, DIM(1)) ||
	    !has_extent(r, 2, anchor, 2, DIM(4)))
		return REL_FAIL;
	at[0] = cls->shape[0];
	at[1] = cls->shape[2];
	at[2] = DIM(6);
	fields[0] = tensor(r, cls->dtype, at, 3);
	fields[1] = tensor(r, int32, at, 1);
	return rel_finish_tuple(r, fields, 2);
}
