/*
 * What the relations share: reading attributes, axes, windows, messages.
 *
 * Functions that return bool report and return false when something is
 * wrong; their caller returns REL_FAIL.
 */
#ifndef RELAY_IR_RELATIONS_COMMON_H
#define RELAY_IR_RELATIONS_COMMON_H

#include "ir/layout.h"
#include "ir/relation.h"

struct rel_ints {
	bool given; /* false: null */
	uint32_t n;
	const int64_t *at;
};

struct rel_shape {
	uint32_t n;
	struct ir_dim *at;
};

/* Text for messages; lives in the scratch arena. */
const char *rel_show(struct rel *r, const ir_type *t);
const char *rel_show_arg(struct rel *r, uint32_t i);
const char *rel_show_shape(struct rel *r, const struct ir_dim *shape,
			   uint32_t n);
const char *rel_show_dim(struct rel *r, struct ir_dim d);
const char *rel_show_dtype(struct rel *r, struct dtype t);

/* The name of input I: "data". */
const char *rel_input(struct rel *r, uint32_t i);

/* "'data' must have rank 4, but has type Tensor[...]". */
bool rel_check_rank(struct rel *r, uint32_t i, const struct ir_tensor_type *t,
		    uint32_t rank);

/* Attributes: a list of integers, or of extents with '?' among them. */
bool rel_ints(struct rel *r, const char *name, struct rel_ints *out);
bool rel_dims(struct rel *r, const char *name, struct rel_shape *out,
	      bool *given);

/* A single extent; *GIVEN is false for null. */
bool rel_dim(struct rel *r, const char *name, struct ir_dim *out, bool *given);

/* N integers, all at least LEAST. */
bool rel_ints_n(struct rel *r, const char *name, uint32_t n, int64_t least,
		struct rel_ints *out);

/* Attribute NAME, VOID replaced by DEFLT. */
struct dtype rel_dtype(struct rel *r, const char *name, struct dtype deflt);

/* AXIS in [-RANK, RANK), negative ones counted from the end. */
bool rel_axis(struct rel *r, const char *what, int64_t axis, uint32_t rank,
	      uint32_t *out);

/* The integer attribute NAME as such an axis. */
bool rel_axis_attr(struct rel *r, const char *name, uint32_t rank,
		   uint32_t *out);

/* Shapes in the scratch arena. */
struct rel_shape rel_new_shape(struct rel *r, uint32_t n);
struct rel_shape rel_copy_shape(struct rel *r, const struct ir_tensor_type *t);
const ir_type *rel_tensor_type(struct rel *r, struct dtype t,
			       const struct rel_shape *s);
const ir_type *rel_vector_type(struct rel *r, struct dtype t, struct ir_dim n);

/* The result is a tensor; extents are checked. */
enum rel_result rel_finish(struct rel *r, struct dtype t,
			   const struct rel_shape *s);

/* The result is a tuple of these. */
enum rel_result rel_finish_tuple(struct rel *r, const ir_type *const *fields,
				 uint32_t n);

/* Extents are not negative and the number of elements does not overflow. */
bool rel_check_shape(struct rel *r, const struct rel_shape *s);

/* Products of extents; overflow is reported. */
bool rel_mul(struct rel *r, struct ir_dim a, struct ir_dim b,
	     struct ir_dim *out);

/* The symbolic extent D times NUM / DEN; '?' where that is no multiple. */
struct ir_dim rel_ratio(struct rel *r, struct ir_dim d, int64_t num,
			int64_t den);

/* D is known and N. */
static inline bool
rel_dim_is(struct ir_dim d, int64_t n)
{
	return ir_dim_is_const(d) && d.value == n;
}

/* Both inputs have one element type. */
bool rel_same_dtype(struct rel *r, uint32_t i, const struct ir_tensor_type *a,
		    uint32_t j, const struct ir_tensor_type *b);

/* All fields of input I, a tuple that is not empty, have one element type. */
bool rel_tuple_dtype(struct rel *r, uint32_t i, const struct ir_tuple_type *t,
		     struct dtype *out);

/*
 * Input I, a known tensor, holds a shape: as many '?' as it has elements,
 * which must be known.
 */
bool rel_shape_of_input(struct rel *r, uint32_t i, struct rel_shape *out);

/* A and B can be broadcast together; the first one does not report. */
bool rel_try_broadcast(struct rel *r, const struct rel_shape *a,
		       const struct rel_shape *b, struct rel_shape *out);
bool rel_broadcast_shapes(struct rel *r, const struct rel_shape *a,
			  const struct rel_shape *b, struct rel_shape *out);

/* Input I, which is known or not: REL_FAIL if it is of a wrong kind. */
enum rel_result rel_maybe_tensor(struct rel *r, uint32_t i,
				 const struct ir_tensor_type **out);

/* Input I gets the type of a vector, a tensor of this shape, a scalar. */
enum rel_result rel_vector(struct rel *r, uint32_t i, struct dtype t,
			   struct ir_dim n);
enum rel_result rel_input_shape(struct rel *r, uint32_t i, struct dtype t,
				const struct rel_shape *s);
enum rel_result rel_scalar(struct rel *r, uint32_t i, struct dtype t);

/* Attribute NAME as a layout; REPLACE is used for "". */
bool rel_layout(struct rel *r, const char *name, const char *replace,
		struct ir_layout *out);

/* ... that can be converted to CANON ("NCHW"). */
bool rel_layout_like(struct rel *r, const char *name, const char *replace,
		     const char *canon, struct ir_layout *out);

/* The shape of T, which must have one extent for each axis of L, as CANON. */
bool rel_to_canon(struct rel *r, uint32_t i, const struct ir_tensor_type *t,
		  const struct ir_layout *l, const char *canon,
		  struct rel_shape *out);
bool rel_from_canon(struct rel *r, const struct rel_shape *s, const char *canon,
		    const struct ir_layout *l, struct rel_shape *out);

/*
 * Attribute "padding" for N axes, as what is added before and after together:
 * one value for all, one for each axis, or two for each (all the befores,
 * then all the afters).
 */
bool rel_padding(struct rel *r, uint32_t n, int64_t *before, int64_t *after);

/* One axis of a sliding window. */
struct rel_window {
	int64_t pad; /* before and after together */
	int64_t stride;
	int64_t dilation;
	bool ceil;
};

/* Places of a window of SIZE over IN. */
bool rel_slide(struct rel *r, struct ir_dim in, struct ir_dim size,
	       const struct rel_window *w, struct ir_dim *out);

/* List attribute NAME as N pairs of integers, none below LEAST. */
bool rel_pairs(struct rel *r, const char *name, uint32_t n, int64_t least,
	       int64_t (*out)[2]);

/* What the plain, quantized and dynamic forms of an operator share. */
bool rel_concatenated(struct rel *r, const struct ir_tuple_type *in,
		      struct dtype *dtype, struct rel_shape *out);
bool rel_one_hot_shape(struct rel *r, struct ir_dim depth,
		       struct rel_shape *out);
enum rel_result rel_finish_top_k(struct rel *r,
				 const struct ir_tensor_type *data,
				 const struct ir_dim *k);
bool rel_pool_shape(struct rel *r, uint32_t n,
		    const struct ir_tensor_type *data, struct rel_shape *out);

#endif
