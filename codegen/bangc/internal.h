/*
 * What the parts of the BANG-C emitter share. Private to codegen/bangc.
 *
 * A kernel is a row of steps, each a loop nest or the like over arrays of
 * device memory. Every step is done in the first way that fits: on vectors,
 * by the unit for convolutions, or element by element. All tasks of a launch
 * take part in a step; before one that touches what another task may have
 * written stands a barrier.
 */
#ifndef RELAY_CODEGEN_BANGC_INTERNAL_H
#define RELAY_CODEGEN_BANGC_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/bangc/bangc.h"
#include "ir/tir.h"
#include "support/arena.h"
#include "support/buf.h"
#include "support/diag.h"
#include "support/ptrmap.h"
#include "support/vec.h"

enum { BANG_MAX_LOOPS = 16 };

/* What an architecture offers; sizes in bytes, less what the stack takes. */
struct bang_arch {
	const char *name; /* "mlu370" */
	int code;         /* __BANG_ARCH__ */
	int64_t nram;
	int64_t wram;
	int64_t sram;    /* of a cluster */
	int line;        /* counts are multiples of this */
	bool float_conv; /* convolves and multiplies floats */
};

struct bang_name {
	const struct tir_var *var;
	const char *text;
};

/* An array kept on the chip: element LOW of it is at TEXT. */
struct bang_place {
	const struct tir_buffer *buffer;
	const char *text;
	int64_t low, span, pitch;
};

/* Where arrays are for the point of the loops UNITS that is worked on. */
struct bang_places {
	struct bang_place *at;
	size_t n;
	const struct tir_var *units[BANG_MAX_LOOPS];
	uint32_t nunits;
	bool whole; /* vectors go along the units */
};

/* Names of variables that differ from those in the IR, innermost last. */
struct bang_names {
	struct bang_name *at;
	size_t len, cap;
	const struct bang_places *places; /* or NULL */
	bool on_host;                     /* the code is for the host */
};

/* An operand of a matrix product that may be packed: see weights.c. */
struct bang_weights {
	uint32_t param;
	const char *pack; /* the function that does */
	const char *rest; /* its arguments behind both arrays */
	const char *type; /* of an element */
	int64_t bytes;    /* packed */
};

enum { BANG_MAX_WEIGHTS = 4 };

/* The array in SRAM that packed operands pass. */
#define BANG_SHARED "relay_shared"

/* It takes no more than such a part of SRAM. */
enum { BANG_SHARED_PART = 4 };

struct bang_kernel {
	const tir_func *func;
	const char *name;
	const bool *in_sram; /* by parameter: it lies there; NULL: none does */
	const bool *packed;  /* by parameter: it is in panels; NULL: none is */
	uint32_t ntaken;     /* parameters before those that it gives, */
	uint32_t nresults;   /* and before its temporaries */
	unsigned nweights;   /* that could be */
	struct bang_weights weights[BANG_MAX_WEIGHTS];
	struct bang_kernel *next; /* of the same function, otherwise placed */
	bool used;
	const char *sizes; /* of its tiles, as macros */
	const char *text;  /* all of it */
	const char *body;  /* its statements */
	const struct bang_arch *arch;
	struct arena *arena;
	struct buf *out;
	struct buf *defines;  /* sizes of tiles */
	struct buf *helpers;  /* what stands before it */
	bool barriers;        /* tasks wait for each other */
	bool alone;           /* in code that one task runs */
	bool on_host;         /* it has no BANG-C: see on_host.c */
	const char *note;     /* the comment that says why */
	unsigned nsteps;      /* so far, for names, */
	unsigned nparts;      /* and tables of arrays */
	int64_t scalar_ops;   /* done element by element */
	int64_t shared_bytes; /* of SRAM that filters pass, if packed */
	const char *why;      /* it cannot be done: "operator 'x'", or NULL */
	struct loc where;
};

struct bang_loop {
	const struct tir_var *var;
	int64_t min;
	int64_t extent;
};

/*
 * Loops, outermost first, around one store. With REDUCE, the loops from
 * NSPATIAL on fold VALUE into the element, which begins as INIT.
 */
struct bang_nest {
	uint32_t nloops;
	uint32_t nspatial;
	struct bang_loop loops[BANG_MAX_LOOPS];
	uint32_t nmerged; /* loops that became part of others: */
	const struct tir_var *merged[BANG_MAX_LOOPS]; /* zero from then on */
	const struct tir_buffer *buffer;
	const tir_expr *index;
	const tir_expr *value;
	const tir_expr *init;
	enum tir_kind fold; /* ADD, MIN, MAX */
	bool reduce;
};

/* False if S is not of that form, or reads what it writes. */
bool bang_nest_of(const tir_stmt *s, struct bang_nest *out);
/* The same for a sum of integers, which is written the other way round. */
bool bang_int_sum_of(const tir_stmt *s, struct bang_nest *out);

/* Make one loop of those next to each other that go over rows in order. */
void bang_merge_loops(struct bang_nest *n);

/*
 * How E changes when V grows by one, if that does not depend on where V is:
 * false if it does.
 */
bool bang_stride(const tir_expr *e, const struct tir_var *v, int64_t *stride);

/* Same text: same structure, variables and numbers. */
bool bang_same(const tir_expr *a, const tir_expr *b);
bool bang_mentions(const tir_expr *e, const struct tir_var *v);

/* Does COND cut one of LOOPS in two: up to AT, and from there on? */
bool bang_splits(const tir_expr *cond, struct bang_loop *loops, uint32_t n,
		 struct bang_loop **loop, int64_t *at);

/* E where all variables are zero; false if that is not plain. */
bool bang_origin(const tir_expr *e, int64_t *value);

bool bang_reads(const tir_expr *e, const struct tir_buffer *b);

/* Arithmetic in E, all that one evaluation does, but not on indices. */
int64_t bang_arithmetic(const tir_expr *e);

/* The C type of elements of type T, or NULL. */
const char *bang_type(struct dtype t);
/* The same in code for the host, which has more of them. */
const char *bang_host_type(struct dtype t);
const char *bang_name_of(const struct bang_names *names,
			 const struct tir_var *v);

/*
 * Directions of copies between B and NRAM: "GDRAM2NRAM", or from SRAM where B
 * is kept there, and back.
 */
const char *bang_load_direction(const struct bang_kernel *k,
				const struct tir_buffer *b);
const char *bang_store_direction(const struct bang_kernel *k,
				 const struct tir_buffer *b);

/* Is B nothing that K takes or gives, as far as its Relay type tells? */
bool bang_is_temporary(const struct bang_kernel *k, const struct tir_buffer *b);

/* Is what stands AT in TEXT, N characters, a word? */
bool bang_word_at(const char *text, const char *at, size_t n);

/* Is NAME a word of the code TEXT? */
bool bang_text_mentions(const char *text, const char *name);

/* Does B lie in SRAM? */
bool bang_in_sram(const struct bang_kernel *k, const struct tir_buffer *b);

/* E as C++; false if there is none for it. */
bool bang_put_expr(struct buf *out, const tir_expr *e,
		   const struct bang_names *names);

/* S as a literal of C. */
void bang_put_string(struct buf *out, const char *s);

/* Where element INDEX of B is on the chip: "TEXT + ..."; false if nowhere. */
bool bang_put_place(struct buf *out, const struct tir_buffer *b,
		    const tir_expr *index, const struct bang_names *names);
const struct bang_place *bang_place_of(const struct bang_names *names,
				       const struct tir_buffer *b);

/*
 * vexpr.c: an expression along one loop as vector instructions. Vectors are
 * floats; there are NLOADED of them for what is read, then NWORK others. A
 * vector is called "xN" in the code; "start", "real" and "count" are where
 * the tile begins, its elements and the same in whole lines.
 */
enum { BANG_MAX_VECTORS = 160 };

struct bang_vectors {
	struct bang_kernel *k;
	/* Does what loads from device memory do, unless NULL. */
	unsigned (*load)(struct bang_vectors *v, const tir_expr *e);
	void *loads_from;
	const struct bang_nest *nest;
	const struct tir_var *along;
	struct bang_names names;
	struct buf loads; /* code that fills the vectors */
	struct buf code;  /* code that computes with them */
	const char *indent;
	const char *copy; /* __memcpy, or __memcpy_async */
	const tir_expr *at[BANG_MAX_VECTORS];
	bool loaded[BANG_MAX_VECTORS];
	int64_t scalar; /* floats computed one by one, at each point */
	bool alias[BANG_MAX_VECTORS]; /* part of an array on the chip, */
	bool row[BANG_MAX_VECTORS];   /* all of it, with lines to the end */
	bool from_sram;               /* something is read from there */
	unsigned places; /* of what is copied while others compute */
	unsigned n;
	bool ok;
};

void bang_vectors_init(struct bang_vectors *v, struct bang_kernel *k,
		       const struct bang_nest *n, const struct tir_var *along);
void bang_vectors_free(struct bang_vectors *v);

/* The vector that holds E; V->ok is false if there is no code for it. */
unsigned bang_vector_of(struct bang_vectors *v, const tir_expr *e);

/*
 * lanes.c: what a vector of Ts has in its words of 32 bits. Truths are 1 and 0.
 */
enum bang_class {
	BANG_NO_VECTOR,
	BANG_FLOATS, /* floats, halves, truths: as floats */
	BANG_INTS,   /* integers of up to 32 bits */
};
enum bang_class bang_class_of(struct dtype t);
const char *bang_word(struct dtype t); /* "float" or "int" */

/* A vector that holds E, which has no instruction: by a loop. */
unsigned bang_lanes(struct bang_vectors *v, const tir_expr *e);

/* E, if it is a load of narrow integers, as floats at once; or false. */
bool bang_load_floats(struct bang_vectors *v, const tir_expr *e, unsigned *d);

/*
 * ints.c: integers of up to 32 bits, as words. Vector A with as many bits as T
 * has, extended, into D; it may be A.
 */
void bang_wrap(struct bang_vectors *v, unsigned d, unsigned a, struct dtype t);
unsigned bang_int_binary(struct bang_vectors *v, const tir_expr *e);
/* Has the library the greater and the lesser of Ts? */
bool bang_has_extremes(struct dtype t);
/* A cast. */
unsigned bang_convert(struct bang_vectors *v, const tir_expr *e);

/*
 * Is E a number of 32 bits times a number, shifted to the right and rounded,
 * with 64 bits between? The vector of that.
 */
bool bang_is_scaling(const tir_expr *e);
unsigned bang_scale(struct bang_vectors *v, const tir_expr *e);

/* Does E stay the same along the vector, so that one number will do? */
bool bang_is_constant(const struct bang_vectors *v, const tir_expr *e);

/* One more vector, of no expression. */
unsigned bang_new_vector(struct bang_vectors *v);

/*
 * Code that stores vector X to the buffer that the nest writes, into OUT. What
 * converts it before that goes into CONVERT.
 */
void bang_put_vector_store(struct bang_vectors *v, struct buf *convert,
			   struct buf *out, unsigned x);

/* B's text so far, ended. */
static inline const char *
bang_text(struct buf *b)
{
	buf_putc(b, '\0');
	b->len--;
	return b->at;
}

/*
 * Declare the vectors that CODE mentions, so that tiles of TILE floats fit;
 * with TWICE, those of loads and stores have two places, taken in turn by the
 * parity of that text.
 */
void bang_put_vectors(const struct bang_vectors *v, struct buf *out,
		      const char *twice, const char *code);

/*
 * Elements of a tile that leaves room for all vectors, a multiple of a line;
 * its name, defined before the kernel, is written to NAME.
 */
enum { BANG_TILE_NAME = 200 };
int64_t bang_tile(const struct bang_vectors *v, bool twice, int64_t most,
		  char name[BANG_TILE_NAME]);

/* C loops for the loops FROM .. TO - 1 of N. */
void bang_put_loops(struct buf *out, const struct bang_nest *n, uint32_t from,
		    uint32_t to);

/*
 * "for (int u = taskId; ...) {": tasks share out the points of the first
 * LOOPS loops, which get their values from u. Without loops, one task works.
 */
void bang_put_units(struct bang_kernel *k, const struct bang_nest *n,
		    uint32_t loops);

/* The points of loops FROM .. TO - 1. */
int64_t bang_points(const struct bang_nest *n, uint32_t from, uint32_t to);

/*
 * The files of codegen/bangc/device as text: what emitted code calls; one is
 * for kernels on the host, and the last begins the main program of a project.
 */
extern const char bang_device_scalars[];
extern const char bang_device_copies[];
extern const char bang_device_vectors[];
extern const char bang_device_routines[];
extern const char bang_device_conv2d[];
extern const char bang_device_ends[];
extern const char bang_device_host[];
extern const char bang_device_main[];

/* prologue.c: headers, and memory that all kernels share. */
void bang_put_prologue(struct buf *out, const struct bang_arch *arch,
		       const struct bangc_options *o, int64_t sram_bytes,
		       int64_t shared_bytes);

/*
 * Of device/ what KERNELS call, or all of it if that is NULL: macros into
 * DEFINES, the rest into OUT.
 */
void bang_put_device(struct buf *out, struct buf *defines, const char *kernels);

/* Of device/host.mlu, and of scalars for the host, what KERNELS call. */
void bang_put_host_helpers(struct buf *out, const char *kernels);

/* TEXT as a comment of lines of at most 80 columns. */
void bang_put_note(struct buf *out, const char *text);

/* layout.c: TEXT with the lines and the indentation that it should have. */
void bang_layout(struct buf *out, const char *text);

/* step.c: the body of K->func. False, and K->why, if there is no code. */
bool bang_put_steps(struct bang_kernel *k);

/* A set of buffers, in the order in which they came. Zeros: empty. */
struct bang_buffers {
	const struct tir_buffer **at;
	size_t len, cap;
	struct ptrmap has;
};

/* Empties it, too. */
void bang_buffers_free(struct bang_buffers *s);

/* What a function reads and writes. */
void bang_collect(const tir_func *f, struct bang_buffers *read,
		  struct bang_buffers *written);
bool bang_has(const struct bang_buffers *s, const struct tir_buffer *b);
void bang_add_buffer(struct bang_buffers *s, const struct tir_buffer *b);

/*
 * copy.c: if S, in a network's main, is a copy of bytes, a kernel for it, with
 * N in its name, and the call of that; else NULL.
 */
const tir_func *bang_copy_kernel(struct arena *a, const tir_stmt *s, unsigned n,
				 tir_stmt **call);

/* routine.c: the call of a routine that S makes sure of, or NULL. */
const tir_expr *bang_call_of(const tir_stmt *s);
void bang_collect_call(const tir_expr *call, struct bang_buffers *read,
		       struct bang_buffers *written);

/* A call of the network's main. */
struct bang_call {
	const tir_stmt *stmt;
	struct bang_kernel *kernel;
	int64_t *sram;   /* by operand: where it is in SRAM, or -1: it is not */
	int64_t *packed; /* the same in what is packed; NULL: nothing is */
};

/* What NAME_prepare packs. */
struct bang_packed {
	uint32_t input; /* of main */
	int64_t from;   /* bytes into it */
	const struct bang_weights *weights;
	int64_t at; /* in what is packed */
};

struct bang_packing {
	struct bang_packed *at;
	size_t len, cap;
	int64_t bytes;
};

/* weights.c: is B in panels where K reads it? */
bool bang_is_packed(const struct bang_kernel *k, const struct tir_buffer *b);

/* K could have its parameter B so. */
void bang_add_weights(struct bang_kernel *k, const struct tir_buffer *b,
		      const struct bang_weights *w);

/* Pack what the call C multiplies by, if it comes from outside of NET. */
void bang_plan_packing(struct bang_packing *p, struct bang_call *c,
		       const struct interface *net, struct arena *a);

/*
 * A value in the workspace, bytes FROM .. TO - 1, from the call that writes it
 * to the last that touches it.
 */
struct bang_value {
	int64_t from, to;
	size_t first, last;
	unsigned uses;
	bool fixed; /* it must be in device memory */
	int64_t at; /* in SRAM, or -1 */
};

/* In the order of their first calls. */
struct bang_values {
	struct bang_value *at;
	size_t len, cap;
	int64_t **of; /* by call and operand: its value, or -1 */
};

/* residency.c: the values of N calls. */
void bang_find_values(struct bang_values *out, struct bang_call *calls,
		      size_t n, const struct tir_buffer *workspace,
		      struct arena *a);

/* Calls FIRST .. FIRST + N - 1: an entry kernel, or one call on the host. */
struct bang_part {
	size_t first, n;
	bool on_host;
	const char *name;   /* of the kernel */
	const bool *params; /* of main that it takes; NULL: all */
	int64_t crosses;    /* bytes that are written before it, read in it or
			       after */
};

/*
 * residency.c: keep values in SRAM from the call that writes them to the last
 * that reads them, which must be of one part, as far as there is ROOM, in
 * bytes: sets SRAM of each call. The bytes of SRAM that takes.
 */
int64_t bang_plan_sram(struct bang_values *values, struct bang_call *calls,
		       const struct bang_part *parts, size_t nparts,
		       int64_t room, struct arena *a);

/*
 * host.c: what runs the network NET of KERNELS: the function for device
 * memory in the shape that O wants, and the one for the host's.
 */
struct bang_network {
	const struct interface *net;
	const struct bangc_options *o;
	const struct bang_call *calls; /* in order */
	size_t ncalls;
	const struct bang_part *parts; /* of shape "single" */
	size_t nparts;
	int64_t sram_bytes; /* that hold values between calls */
	const struct bang_packing *packing;
	const struct ptrmap *params; /* buffers of main: their number + 1 */
	const char **names;          /* of inputs, then of outputs */
	struct arena *arena;
};

/*
 * split.c: the parts of N's calls, which keep to what the options say; few
 * bytes go from one to the next. False after reporting to D.
 */
struct bang_parts {
	struct bang_part *at;
	size_t len, cap;
};
bool bang_split(struct bang_parts *out, const struct bang_network *n,
		const struct bang_values *values, struct diag *d);

/* names.c: inputs and outputs as C, by nothing that the text means else. */
const char **bang_name_slots(const struct bang_network *n);

/* Parameter I of main as C; behind those of main is what is packed. */
const char *bang_param_name(const struct bang_network *n, uint32_t i);
/* The parameter that operand I of C lies in. */
uint32_t bang_param_of(const struct bang_network *n, const struct bang_call *c,
		       uint32_t i);
void bang_put_arg(struct buf *out, const struct bang_network *n,
		  const struct bang_call *c, uint32_t i);

/* Parameters of main, and what is packed; SOME of them, or all for NULL. */
void bang_put_params(struct buf *out, const struct bang_network *n,
		     const bool *some);
void bang_put_args(struct buf *out, const struct bang_network *n,
		   const bool *some);

/* entry.c: an entry kernel for the part P of N. */
void bang_put_entry(struct buf *out, const struct bang_network *n,
		    const struct bang_part *p);

void bang_put_network(struct buf *out, const struct bang_network *n);

/*
 * One step into K->out, by some means. Where the means do not fit, false and
 * nothing is written.
 */
bool bang_put_vector(struct bang_kernel *k, const struct bang_nest *n);
bool bang_put_fold(struct bang_kernel *k, const struct bang_nest *n);

/* Is N better folded along its last loop? *DOWN: the other way works. */
bool bang_folds_along(const struct bang_nest *n, bool *down);

/* Have vectors of words a way to fold what N folds? */
bool bang_has_fold(const struct bang_nest *n);
/* Has what N folds fewer bits than a word, so that its sums wrap around? */
bool bang_wraps(const struct bang_nest *n);

/* The instruction that folds vector X into SUM. */
void bang_put_combine(struct bang_vectors *v, const struct bang_nest *n,
		      unsigned sum, unsigned x);

/*
 * "total = ...": vector X, which has its tail overwritten, or all of it, is
 * folded into a number; SCRATCH is another.
 */
void bang_put_total(struct buf *out, const struct bang_nest *n,
		    const char *indent, unsigned x, unsigned scratch);

/*
 * conv.c: N by the unit for matrices. BORDER, unless NULL, makes an array that
 * N reads; ENDS, unless NULL, computes with what N gives. Both are part of it
 * then, and what lies between is not stored.
 */
bool bang_put_product(struct bang_kernel *k, const tir_stmt *border,
		      const struct bang_nest *n, const struct bang_nest *ends);

/* pieces.c: N statements that copy rows as they are; false if they don't. */
bool bang_put_copies(struct bang_kernel *k, tir_stmt *const *at, uint32_t n);
bool bang_is_copy(const struct bang_nest *n);
/* The parts of S, if all copy rows or fill them with numbers. */
bool bang_put_pieces(struct bang_kernel *k, const tir_stmt *s);

/* routine.c: a call, if there is such a routine on the device. */
bool bang_put_routine(struct bang_kernel *k, const tir_stmt *s);

/* scalar.c: any statement, element by element. */
bool bang_put_scalar(struct bang_kernel *k, const tir_stmt *s);

/* All statements of K->func for the host, where the arrays are. */
bool bang_put_host_body(struct bang_kernel *k);

/* on_host.c: K's body and text as a function of the host; false: it is none. */
bool bang_put_on_host(struct bang_kernel *k);

/*
 * Those of N KERNELS that are the host's, with what they call; API: of CNRT.
 * Do they call routines of the runtime library?
 */
bool bang_put_host_kernels(struct buf *out, struct bang_kernel *const *kernels,
			   size_t n, int api);

#endif
