/*
 * relay_rt.h - running a compiled model from C.
 *
 * A model compiled by relay-llc is one function, NAME_run(), and one constant
 * descriptor, NAME_model. A program may call the function itself: it is
 * reentrant, takes all memory from its caller and needs no library. Or it
 * hands the descriptor (or a shared library) to the functions below, which
 * own the memory, check what is bound and keep a pool of threads.
 *
 * Nothing here prints or exits. A relay_model may be used by one thread at a
 * time; any number of models may run beside each other.
 */
#ifndef RELAY_RT_H
#define RELAY_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define RELAY_ABI_VERSION 1u
#define RELAY_ABI_SIZED 2u /* shapes are known at run time only */

typedef enum relay_status {
	RELAY_OK = 0,
	RELAY_E_ARG = -1, /* a bad argument or index */
	RELAY_E_SHAPE = -2,
	RELAY_E_DTYPE = -3,
	RELAY_E_ALIGN = -4, /* a bound pointer is not aligned */
	RELAY_E_NOMEM = -5,
	RELAY_E_CPU = -6,     /* the code needs what this CPU lacks */
	RELAY_E_VERSION = -7, /* compiled for another version */
	RELAY_E_IO = -8,      /* a file is missing or not what it should be */
	RELAY_E_BUSY = -9,
	RELAY_E_UNBOUND = -10, /* an input was never set */
	RELAY_E_ASSERT = -11,  /* a check of the model itself failed */
	RELAY_E_INTERNAL = -99
} relay_status;

/* A sentence; never NULL. */
const char *relay_status_string(relay_status status);

uint32_t relay_abi_version(void);

/* Element types are DLPack's: code, bits; bool is code 1 with one bit. */
typedef struct relay_tensor_info {
	const char *name;
	uint8_t dtype_code; /* 0 int, 1 uint, 2 float, 4 bfloat */
	uint8_t dtype_bits;
	uint16_t alignment; /* bytes, for binding without a copy */
	int32_t rank;
	const int64_t *shape;
	size_t nbytes;
} relay_tensor_info;

/*
 * A pool of threads, as compiled code sees it: it calls parallel_for, which
 * calls BODY for pieces that make up [0, n) and returns when all are done. A
 * host may put its own scheduler behind this.
 */
typedef void relay_body(void *ctx, int32_t begin, int32_t end);
typedef struct relay_threads relay_threads;
struct relay_threads {
	void (*parallel_for)(relay_threads *self, relay_body *body, void *ctx,
			     int32_t n);
};

/* A pool of N threads, the caller among them; 0: one for each CPU. */
relay_threads *relay_threads_new(int32_t n);
void relay_threads_free(relay_threads *pool); /* accepts NULL */
int32_t relay_threads_count(const relay_threads *pool);

/*
 * What relay-llc writes beside the function. IO of run() is an array of
 * pointers: inputs, then outputs.
 */
typedef struct relay_model_desc {
	uint32_t abi_version;
	int32_t num_inputs;
	int32_t num_outputs;
	uint32_t arena_align;
	const char *name;
	int32_t (*run)(const void *constants, void *arena, const void *io,
		       relay_threads *pool);
	const relay_tensor_info *inputs;
	const relay_tensor_info *outputs;
	size_t arena_bytes;
	size_t constants_bytes;
	const void *constants;    /* NULL: in a file of its own */
	const char *cpu_features; /* "avx2,fma", or NULL */
	int32_t num_slots;        /* of RELAY_ABI_SIZED only */
} relay_model_desc;

typedef struct relay_model relay_model;

/*
 * A model whose shapes are known at run time only. It takes as IO a record of
 * each input, then of each result: a pointer and, if the rank is not 0, an
 * array of dimensions. Pointers and dimensions of inputs are the caller's;
 * those of results are set by the run and last until the next one. The arena
 * must be zeroed before the first run; relay_dyn_free gives back what it
 * holds. Unknown dimensions are -1 in the descriptor.
 */
enum {
	RELAY_ERROR_WORDS = 32 /* pointers' worth, first in the arena */
};

void relay_dyn_free(void *arena, int32_t num_slots);

/* Why the last run failed with RELAY_E_SHAPE, or NULL. */
const char *relay_dyn_error(const void *arena);

enum relay_flags {
	RELAY_CHECK_CPU = 1, /* refuse with RELAY_E_CPU instead of a fault */
};

typedef struct relay_options {
	uint32_t struct_size; /* sizeof(relay_options) */
	uint32_t flags;
	int32_t num_threads;    /* 0: all CPUs; 1: the caller alone */
	relay_threads *threads; /* or a pool of the host; borrowed */
	const void *constants;  /* or where they lie; borrowed */
	size_t constants_bytes;
	const char *constants_file; /* or a file to map */
} relay_options;

/* OPT may be NULL. On failure *OUT is NULL. */
relay_status relay_model_create(relay_model **out, const relay_model_desc *desc,
				const relay_options *opt);

/* The same for the shared library PATH; it stays loaded with the model. */
relay_status relay_model_load(relay_model **out, const char *path,
			      const relay_options *opt);
void relay_model_destroy(relay_model *m); /* accepts NULL */

int32_t relay_model_num_inputs(const relay_model *m);
int32_t relay_model_num_outputs(const relay_model *m);
relay_status relay_model_input_info(const relay_model *m, int32_t i,
				    relay_tensor_info *info);
relay_status relay_model_output_info(const relay_model *m, int32_t i,
				     relay_tensor_info *info);
int32_t relay_model_input_index(const relay_model *m, const char *name);

/* Copies; NBYTES must be the size of the input. */
relay_status relay_model_set_input(relay_model *m, int32_t i, const void *data,
				   size_t nbytes);

/* Use DATA in place; it must be aligned and stay until the next binding. */
relay_status relay_model_bind_input(relay_model *m, int32_t i,
				    const void *data);
relay_status relay_model_bind_output(relay_model *m, int32_t i, void *data);

/*
 * Models with dimensions that are known at run time only (-1 in the info):
 * the shape of an input is set before its data; that of a result, and where
 * it lies, are known after a run. Results cannot be bound.
 */
int32_t relay_model_is_sized(const relay_model *m);
relay_status relay_model_set_shape(relay_model *m, int32_t i,
				   const int64_t *shape);
relay_status relay_model_output_shape(const relay_model *m, int32_t i,
				      int64_t *shape);

relay_status relay_model_run(relay_model *m);

/* Why the last run failed, where more is known than the status; or NULL. */
const char *relay_model_error(const relay_model *m);

relay_status relay_model_get_output(const relay_model *m, int32_t i, void *data,
				    size_t nbytes);
const void *relay_model_output_ptr(const relay_model *m, int32_t i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
