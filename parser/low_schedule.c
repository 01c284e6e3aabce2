/*
 * Schedules.
 */
#include <string.h>

#include "parser/low.h"
#include "parser/syn.h"
#include "support/suggest.h"

void
low_schedule(struct parse_ctx *cx, struct loc loc, const char *name,
	     const char *target)
{
	ir_def *def = ir_module_find(cx->m, name);
	te_schedule *s = te_new_schedule(cx->m, name);

	s->loc = loc;
	s->target = target;
	cx->low.schedule = s;
	if (!def || def->kind != DEF_TE)
		diag_error(cx->d, loc, "there is no 'te @%s' to schedule",
			   name);
	else if (def->schedule)
		diag_error(cx->d, loc, "'@%s' has a schedule already", name);
	else
		def->schedule = s;
}

void
low_stage(struct parse_ctx *cx, struct loc loc, const char *name)
{
	struct te_stage *st;

	if (te_schedule_find(cx->low.schedule, name))
		diag_error(cx->d, loc, "there is a stage '%s' already", name);
	st = te_schedule_stage(cx->m, cx->low.schedule, name);
	st->loc = loc;
	cx->low.stage = name;
}

void
low_word(struct parse_ctx *cx, enum low_word_kind kind, const char *name)
{
	struct low_word w = {kind, name, 0};

	vec_push(&cx->low.words, w);
}

void
low_number_word(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	struct low_word w = {LOW_NUMBER, NULL, 0};
	unsigned width;

	syn_integer(cx, loc, n, &w.number, &width);
	vec_push(&cx->low.words, w);
}

/* Takes words off the front. */
struct words {
	const struct low_word *at;
	size_t n;
};

static bool
take(struct words *w, enum low_word_kind kind, struct low_word *out)
{
	if (w->n == 0 || w->at[0].kind != kind)
		return false;
	*out = w->at[0];
	w->at++;
	w->n--;
	return true;
}

/*
 * WANT names (-1: one or more, up to the next that is none) to an array of
 * the module.
 */
static bool
take_names(struct parse_ctx *cx, struct words *w, int want, size_t keep,
	   uint32_t *n, const char ***out)
{
	struct low_word word;
	size_t have = 0;

	while (have < w->n && w->at[have].kind == LOW_NAME)
		have++;
	have = have > keep ? have - keep : 0;
	if (want >= 0 && have > (size_t)want)
		have = (size_t)want;
	if ((want >= 0 && have < (size_t)want) || (want < 0 && have == 0))
		return false;
	*n = (uint32_t)have;
	*out = ARENA_NEW_ARRAY(&cx->m->arena, have, const char *);
	for (size_t i = 0; i < have && take(w, LOW_NAME, &word); i++)
		(*out)[i] = word.name;
	return true;
}

/* WORD, if it is not empty, stands next. */
static bool
take_keyword(struct words *w, const char *word)
{
	struct low_word got;

	return word[0] == '\0' ||
	       (take(w, LOW_NAME, &got) && strcmp(got.name, word) == 0);
}

/* Fill P from the words as INFO says; false if they do not fit. */
static bool
fill(struct parse_ctx *cx, struct te_prim *p, const struct te_prim_info *info,
     struct words *w)
{
	size_t keep = info->nout == 0 && info->number ? 1 : 0;
	struct low_word word;

	if (info->nin != 0 &&
	    !take_names(cx, w, info->nin, keep, &p->nin, &p->in))
		return false;
	if (info->nout != 0 &&
	    (!take(w, LOW_ARROW, &word) ||
	     !take_names(cx, w, info->nout, info->number || info->string,
			 &p->nout, &p->out)))
		return false;
	if (info->number) {
		if (!take_keyword(w, info->number) ||
		    !take(w, LOW_NUMBER, &word))
			return false;
		p->number = word.number;
	}
	if (info->string) {
		if (!take_keyword(w, info->string) ||
		    !take(w, LOW_STRING, &word))
			return false;
		p->string = word.name;
	}
	return w->n == 0;
}

static void
report_unknown(struct parse_ctx *cx, struct loc loc, const char *word)
{
	struct suggest s;

	diag_error(cx->d, loc, "unknown schedule primitive '%s'", word);
	suggest_start(&s, word);
	for (unsigned i = 0; i < TE_PRIM_COUNT; i++)
		suggest_offer(&s, te_prim_info[i].word);
	if (suggest_best(&s))
		diag_note(cx->d, loc, "did you mean '%s'?", suggest_best(&s));
}

void
low_prim(struct parse_ctx *cx, struct loc loc, const char *word)
{
	struct words w = {cx->low.words.at, cx->low.words.len};
	int kind = te_prim_find(word);
	struct te_prim *p;

	cx->low.words.len = 0;
	if (kind < 0) {
		report_unknown(cx, loc, word);
		return;
	}
	p = te_stage_add(cx->m,
			 te_schedule_find(cx->low.schedule, cx->low.stage),
			 (enum te_prim_kind)kind);
	p->loc = loc;
	if (!fill(cx, p, &te_prim_info[kind], &w))
		diag_error(cx->d, loc, "'%s' does not take these words", word);
}
