/* What the relations of convolutions share. */
#ifndef RELAY_IR_RELATIONS_CONV_H
#define RELAY_IR_RELATIONS_CONV_H

#include "ir/relations/common.h"

struct conv {
	uint32_t n; /* spatial axes: 1, 2, 3 */
	bool transposed;
	bool grouped;                /* the weight has an axis G */
	bool no_depthwise;           /* weights are never (C, multiplier) */
	uint32_t data_at, weight_at; /* which inputs */
	int64_t groups;
	struct ir_layout data, kernel, out;
	const char *canon, *weight_canon;
	bool has_size, has_channels;
	struct rel_shape size;  /* of the kernel, once known */
	struct ir_dim channels; /* of the result, once known */
	struct rel_window window[3];
};

/* The attributes that convolutions over N axes have. */
bool conv_read(struct rel *r, struct conv *c, uint32_t n, bool transposed);

/*
 * Look at the weight or give it its type; fills in size and channels. DATA
 * is input c->data_at.
 */
enum rel_result conv_weight(struct rel *r, struct conv *c,
			    const struct ir_tensor_type *data);

/* The shape of the result in its layout. */
bool conv_shape(struct rel *r, const struct conv *c,
		const struct ir_tensor_type *data, struct rel_shape *out);

/* DIVIDEND / groups; WHAT for the message about a rest. */
bool conv_per_group(struct rel *r, const struct conv *c, const char *what,
		    struct ir_dim dividend, struct ir_dim *out);

/* All of it, for inputs 0 and 1. */
enum rel_result conv_relation(struct rel *r, uint32_t n, bool transposed);

#endif
