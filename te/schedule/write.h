/*
 * Writing primitives, with one function per spelling. Private to
 * te/schedule/.
 */
#ifndef RELAY_TE_SCHEDULE_WRITE_H
#define RELAY_TE_SCHEDULE_WRITE_H

#include "ir/module.h"
#include "ir/te.h"

/* The stage that is being written. */
struct te_writer {
	ir_module *m;
	te_schedule *s;
	const char *stage; /* interned */
};

void te_write(struct te_writer *w, enum te_prim_kind kind);
void te_write_mark(struct te_writer *w, enum te_prim_kind kind,
		   const char *axis);
void te_write_split(struct te_writer *w, const char *axis, const char *outer,
		    const char *inner, int64_t factor);
void te_write_fuse(struct te_writer *w, const char *const *axes, uint32_t n,
		   const char *out);
void te_write_order(struct te_writer *w, const char *const *axes, uint32_t n);
void te_write_at(struct te_writer *w, const char *stage, const char *axis);
void te_write_scope(struct te_writer *w, const char *scope);
void te_write_cache(struct te_writer *w, const char *out, const char *scope);
void te_write_rfactor(struct te_writer *w, const char *axis, const char *out);

/* NAME with a suffix, interned. */
const char *te_suffixed(ir_module *m, const char *name, const char *suffix);

#endif
