/*
 * Types of Relay expressions.
 *
 * A type is interned in its context: two types are equal exactly if their
 * pointers are, except for function types that differ in the names of their
 * type parameters (ir_type_equal knows). Types are never freed one by one.
 */
#ifndef RELAY_IR_TYPE_H
#define RELAY_IR_TYPE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "ir/dtype.h"
#include "ir/fwd.h"

enum ir_type_kind {
	TYPE_TENSOR, /* Tensor[(2, ?), float32]; a scalar has rank 0 */
	TYPE_TUPLE,  /* (A, B) */
	TYPE_FUNC,   /* fn [P](A) -> B */
	TYPE_REF,    /* ref(A) */
	TYPE_ADT,    /* List[A]; List alone is List[] */
	TYPE_VAR,    /* a type parameter; unique, not interned */
	TYPE_HOLE,   /* not known yet: a variable of the type solver */
};

enum ir_type_flags {
	TYPE_HAS_HOLE = 1, /* a TYPE_HOLE in it somewhere */
	TYPE_HAS_VAR = 2,  /* a TYPE_VAR in it somewhere */
	TYPE_HAS_ANY = 4,  /* a '?' or symbolic dimension in it */
	TYPE_HAS_FUNC = 8,
};

struct ir_type {
	uint8_t kind;
	uint8_t flags;
	uint16_t depth; /* of nesting; stays at its maximum */
	uint32_t id;    /* dense in the context */
	uint32_t size;  /* nodes, written out; as depth */
	uint64_t hash;  /* stable; ignores names of variables */
};

enum ir_dim_kind {
	DIM_INT,   /* int32 in the text: 4 */
	DIM_INT64, /* 4i64 */
	DIM_ANY,   /* ? */
	DIM_SYM,   /* a symbolic expression of the metadata: meta[tir.Var][0] */
};

struct ir_dim {
	int64_t value;      /* INT and INT64: the extent, >= 0 */
	const ir_meta *sym; /* SYM: the object; else NULL */
	enum ir_dim_kind kind;
};

#define DIM(n) ((struct ir_dim){.value = (n), .kind = DIM_INT})
#define DIM_UNKNOWN ((struct ir_dim){.value = -1, .kind = DIM_ANY})

struct ir_tensor_type {
	ir_type base;
	struct dtype dtype;
	uint32_t ndim;
	struct ir_dim shape[];
};

struct ir_tuple_type {
	ir_type base;
	uint32_t nfields;
	const ir_type *fields[];
};

struct ir_func_type {
	ir_type base;
	uint32_t nparams;
	uint32_t nvars;
	const ir_type *const *vars; /* type parameters, TYPE_VAR */
	const ir_type *ret;
	const ir_type *params[];
};

struct ir_ref_type {
	ir_type base;
	const ir_type *value;
};

struct ir_adt_type {
	ir_type base;
	const char *name; /* interned */
	uint32_t nargs;
	const ir_type *args[];
};

struct ir_type_var {
	ir_type base;
	const char *name; /* interned; not unique */
};

struct ir_type_hole {
	ir_type base;
	uint32_t index; /* given by the solver that made it */
};

/*
 * Constructors; arrays are copied. A shape whose number of elements
 * overflows is the caller's business: ir_shape_size says so.
 */
const ir_type *ir_type_tensor(ir_context *cx, struct dtype dtype,
			      const struct ir_dim *shape, uint32_t ndim);
const ir_type *ir_type_scalar(ir_context *cx, struct dtype dtype);
const ir_type *ir_type_tuple(ir_context *cx, const ir_type *const *fields,
			     uint32_t n);
const ir_type *ir_type_func(ir_context *cx, const ir_type *const *params,
			    uint32_t nparams, const ir_type *ret,
			    const ir_type *const *vars, uint32_t nvars);
const ir_type *ir_type_ref(ir_context *cx, const ir_type *value);
const ir_type *ir_type_adt(ir_context *cx, const char *name,
			   const ir_type *const *args, uint32_t n);
const ir_type *ir_type_new_var(ir_context *cx, const char *name);
const ir_type *ir_type_new_hole(ir_context *cx, uint32_t index);

/* The same type up to the names of bound type parameters. */
bool ir_type_equal(const ir_type *a, const ir_type *b);

/*
 * T with every type that MAP maps replaced, innermost last. MAP returns its
 * argument for a type that stays; it is asked about TYPE_VAR and TYPE_HOLE
 * only. Returns T itself when nothing changed.
 */
const ir_type *ir_type_substitute(ir_context *cx, const ir_type *t,
				  const ir_type *(*map)(const ir_type *t,
							void *env),
				  void *env);

static inline bool
ir_dim_is_const(struct ir_dim d)
{
	return d.kind == DIM_INT || d.kind == DIM_INT64;
}

bool ir_dim_equal(struct ir_dim a, struct ir_dim b);

/* All dimensions known. */
bool ir_shape_is_static(const struct ir_tensor_type *t);

/* Elements of a static shape; false on overflow of int64 or unknown parts. */
bool ir_shape_size(const struct ir_tensor_type *t, int64_t *size);

#define IR_TYPE_CAST(name, KIND)                                             \
	static inline const struct ir_##name *ir_as_##name(const ir_type *t) \
	{                                                                    \
		assert(t && t->kind == TYPE_##KIND);                         \
		return (const struct ir_##name *)(const void *)t;            \
	}
IR_TYPE_CAST(tensor_type, TENSOR)
IR_TYPE_CAST(tuple_type, TUPLE)
IR_TYPE_CAST(func_type, FUNC)
IR_TYPE_CAST(ref_type, REF)
IR_TYPE_CAST(adt_type, ADT)
IR_TYPE_CAST(type_var, VAR)
IR_TYPE_CAST(type_hole, HOLE)
#undef IR_TYPE_CAST

#endif
