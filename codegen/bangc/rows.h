/*
 * Steps that work on rows kept on the chip: private to rows*.c.
 *
 * A run of steps whose outermost loops agree is done unit by unit, where a
 * unit is a point of these loops: one row of a softmax, one plane of a
 * pooling. What a unit reads is loaded once, what steps hand on to each other
 * never leaves the chip, what is wanted elsewhere is stored once.
 */
#ifndef RELAY_CODEGEN_BANGC_ROWS_H
#define RELAY_CODEGEN_BANGC_ROWS_H

#include "codegen/bangc/internal.h"

enum { ROWS_MAX_STEPS = 48, ROWS_MAX_ARRAYS = 24 };

enum rows_kind {
	ROWS_SHARED, /* all units read the same: loaded once */
	ROWS_IN,     /* loaded for each unit */
	ROWS_TEMP,   /* stays on the chip */
	ROWS_OUT,    /* stored for each unit */
};

struct rows_array {
	const struct tir_buffer *buffer;
	enum rows_kind kind;
	bool read_first; /* before a step writes it */
	bool written;
	int64_t strides[BANG_MAX_LOOPS]; /* by loop of the units */
	int64_t step;         /* elements from unit to unit; -1: not even */
	int64_t low;          /* first element that the unit at 0 touches */
	int64_t span;         /* elements from there on */
	int64_t stored;       /* elements that steps write for a unit, */
	int64_t used;         /* and read */
	const tir_expr *fill; /* its elements before the steps, or NULL */
	int64_t pitch;        /* elements from unit to unit on the chip */
	/* 2 where copies go on while others compute, 3 where one is loaded
	 * and stored. */
	unsigned places;
	int64_t at; /* its first place: floats in NRAM */
	/*
	 * Elements of fewer bytes than words have are copied to places of
	 * their own, and there is one for the words.
	 */
	int64_t bytes;
	bool plain;   /* loaded and stored as it is: no words at all */
	bool cleared; /* integers are stored to it one by one */
	unsigned raw_places;
	int64_t raw;
};

struct rows_step {
	struct bang_nest nest;
	bool copies; /* done by loading: a part of an array that has FILL */
	bool fills;  /* done by FILL */
};

struct rows {
	struct bang_kernel *k;
	unsigned nsteps;
	struct rows_step steps[ROWS_MAX_STEPS];
	unsigned narrays;
	struct rows_array arrays[ROWS_MAX_ARRAYS];
	uint32_t depth; /* loops that make up the units */
	int64_t units;
	int64_t block;   /* units at once */
	int64_t tile;    /* longest vector of intermediate results */
	int64_t vectors; /* of those, at most */
	int64_t scratch; /* where they begin: floats in NRAM */
	bool overlapped; /* copies go on while a block is computed */
};

/*
 * rows_plan.c: plan N statements AT as one run, where others read LATER; false
 * if they are none.
 */
bool rows_plan(struct rows *r, struct bang_kernel *k, tir_stmt *const *at,
	       uint32_t n, const struct bang_buffers *later);

/*
 * The parts of S, which write different elements of one array, as R's steps;
 * false if it has none.
 */
bool rows_parts_of(struct rows *r, struct bang_kernel *k, const tir_stmt *s);

/* rows_code.c: the run into K->out; false if some step has no code. */
bool rows_put(struct rows *r);

/* Floats in one place of A, with a line to spare behind its end. */
int64_t rows_place_size(const struct rows *r, const struct rows_array *a);
/* The same of one place where its elements are copied. */
int64_t rows_raw_size(const struct rows *r, const struct rows_array *a);

struct rows_array *rows_array_of(struct rows *r, const struct tir_buffer *b);

/* Of a run while its code is made. */
struct rows_coder {
	struct rows *r;
	struct bang_kernel *k;
	struct buf compute;
	bool ok;
};

/* The name of A's block in the code, or of the unit at hand. */
const char *rows_place_name(struct rows_coder *x, const struct rows_array *a,
			    bool row);
/* The same of where it is copied to or from; and the type of what lies there. */
const char *rows_raw_name(struct rows_coder *x, const struct rows_array *a,
			  bool row);
const char *rows_raw_type(const struct rows_array *a);
/* Is A copied as it is in memory, where elements are no words? */
bool rows_is_raw(const struct rows_array *a);
/* N elements at RAW, of A, as words at ROWS, and back. */
void rows_put_widen(struct buf *out, const struct rows_array *a,
		    const char *rows, const char *raw, const char *n);
void rows_put_narrow(struct buf *out, const struct rows_array *a,
		     const char *rows, const char *raw, const char *n);
/* For each unit of the block: CODE. */
void rows_put_each_unit(struct rows_coder *x, struct buf *out,
			const char *code);
/*
 * The names and places that code for a unit has; WHOLE: for a block; RAW: that
 * copies have.
 */
void rows_add_names(struct rows_coder *x, struct bang_names *names,
		    const struct bang_nest *n, bool whole, bool raw);
/* N without the loops of the units: what happens to one of them. */
struct bang_nest rows_inner(const struct rows *r, const struct bang_nest *n);
/* rows_copy.c: what a turn loads. */
void rows_put_loads(struct rows_coder *x, struct buf *out);
/* What a turn stores. */
void rows_put_stores(struct rows_coder *x, struct buf *out);
/* Before the blocks: what all units share, and borders that stay. */
void rows_put_beginning(struct rows_coder *x, struct buf *out);

#endif
