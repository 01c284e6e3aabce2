/*
 * Rule files to rules: a descent over the tokens of rw_scan.c. After an error
 * reading goes on at the next rule.
 */
#include "passes/rewrite/rw_reader.h"

#include <string.h>

void *
rw_fail(struct rw_reader *r, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (!r->failed) {
		va_start(ap, fmt);
		diag_report(r->d, DIAG_ERROR, loc, fmt, ap);
		va_end(ap);
	}
	r->failed = true;
	return NULL;
}

bool
rw_accept(struct rw_reader *r, int token)
{
	if (r->scan.token != token)
		return false;
	rw_scan_next(&r->scan);
	return true;
}

bool
rw_expect(struct rw_reader *r, int token, const char *what)
{
	if (rw_accept(r, token))
		return true;
	if (r->scan.token == RW_T_BAD)
		r->failed = true;
	rw_fail(r, r->scan.loc, "expected %s, found %s", what,
		rw_scan_found(&r->scan));
	return false;
}

bool
rw_at_word(const struct rw_reader *r, const char *word)
{
	return r->scan.token == RW_T_NAME && strcmp(r->scan.name, word) == 0;
}

bool
rw_accept_word(struct rw_reader *r, const char *word)
{
	if (!rw_at_word(r, word))
		return false;
	rw_scan_next(&r->scan);
	return true;
}

struct rw_node *
rw_new_node(struct rw_reader *r, enum rw_kind kind, struct loc loc)
{
	struct rw_node *n = ARENA_NEW(&r->file->arena, struct rw_node);

	if (++r->nodes > RW_MAX_NODES)
		rw_fail(r, loc, "a rule of more than %d parts", RW_MAX_NODES);
	n->kind = kind;
	n->loc = loc;
	return n;
}

void
rw_set_sub(struct rw_reader *r, struct rw_node *n, const rw_node_vec *v)
{
	n->n = (uint32_t)v->len;
	if (v->len)
		n->sub = arena_copy(&r->file->arena, v->at,
				    v->len * sizeof(*v->at));
}

uint32_t
rw_slot_of(struct rw_reader *r, const char *name, struct loc loc)
{
	struct rw_slot slot = {.name = name};

	for (uint32_t i = 0; i < r->slots.len; i++)
		if (r->slots.at[i].name == name)
			return i;
	vec_push(&r->slots, slot);
	vec_push(&r->slot_locs, loc);
	return (uint32_t)r->slots.len - 1;
}

bool
rw_enter(struct rw_reader *r)
{
	if (r->failed)
		return false;
	if (r->depth++ < RW_MAX_NESTING)
		return true;
	rw_fail(r, r->scan.loc, "nested more than %d deep", RW_MAX_NESTING);
	return false;
}

void
rw_leave(struct rw_reader *r)
{
	r->depth--;
}

/* Every name of the replacement and the condition must mean something. */
static void
check_names(struct rw_reader *r, uint32_t npattern)
{
	for (size_t i = npattern; i < r->slots.len; i++)
		if (!r->slots.at[i].in_result)
			rw_fail(r, r->slot_locs.at[i],
				"'%%%s' is not in the pattern",
				r->slots.at[i].name);
}

static void
read_parts(struct rw_reader *r, struct rw_rule *rule, bool is_rewrite)
{
	uint32_t npattern;

	r->part = RW_IN_PATTERN;
	rule->pattern = rw_read_block(r);
	npattern = (uint32_t)r->slots.len;
	if (r->failed)
		return;
	if (is_rewrite) {
		if (!rw_expect(r, RW_T_ARROW, "'=>' and the replacement"))
			return;
		r->part = RW_IN_RESULT;
		rule->result = rw_read_block(r);
		if (r->failed)
			return;
	}
	r->part = RW_IN_CONDITION;
	if (rw_accept_word(r, "when"))
		rule->when = rw_read_condition(r);
	if (!r->failed)
		check_names(r, npattern);
}

static void
read_rule(struct rw_reader *r, bool is_rewrite)
{
	struct rw_rule *rule = ARENA_NEW(&r->file->arena, struct rw_rule);

	r->nodes = 0;
	vec_clear(&r->slots);
	vec_clear(&r->slot_locs);
	vec_clear(&r->defining);
	rule->loc = r->scan.loc;
	rule->name = r->scan.name;
	rule->file = r->file;
	if (!rw_expect(r, RW_T_STRING, "the name of the rule, a string"))
		return;
	if (ptrmap_find(&r->names, rule->name)) {
		rw_fail(r, rule->loc, "a second rule \"%s\"", rule->name);
		return;
	}
	while (!r->failed)
		if (rw_accept_word(r, "shared"))
			rule->shared = true;
		else if (is_rewrite && rw_accept_word(r, "once"))
			rule->once = true;
		else
			break;
	read_parts(r, rule, is_rewrite);
	if (r->failed)
		return;
	rule->nslots = (uint32_t)r->slots.len;
	rule->slots = arena_copy(&r->file->arena, r->slots.at,
				 r->slots.len * sizeof(*r->slots.at));
	vec_push(&r->file->rules, rule);
	(void)ptrmap_add(&r->names, rule->name, NULL);
}

/* To the next word that begins a rule. */
static void
skip_rule(struct rw_reader *r)
{
	while (r->scan.token != RW_T_END && !rw_at_word(r, "rewrite") &&
	       !rw_at_word(r, "pattern"))
		rw_scan_next(&r->scan);
	r->depth = 0;
}

bool
rw_read(struct rw_file *f, ir_context *cx, struct source *s, struct diag *d)
{
	struct rw_reader r = {.file = f, .d = d, .cx = cx};
	unsigned errors = d->errors;

	f->source = s;
	rw_scan_start(&r.scan, cx, s, d);
	while (r.scan.token != RW_T_END && !d->stopped) {
		r.failed = false;
		if (rw_accept_word(&r, "rewrite"))
			read_rule(&r, true);
		else if (rw_accept_word(&r, "pattern"))
			read_rule(&r, false);
		else
			rw_expect(&r, -1, "'rewrite' or 'pattern'");
		if (r.failed)
			skip_rule(&r);
		else
			(void)rw_accept(&r, ';');
	}
	ptrmap_free(&r.names);
	vec_free(&r.defining);
	vec_free(&r.slots);
	vec_free(&r.slot_locs);
	return d->errors == errors;
}

void
rw_file_free(struct rw_file *f)
{
	arena_free(&f->arena);
	vec_free(&f->rules);
}

int
rw_slot_index(const struct rw_rule *r, const char *name)
{
	for (uint32_t i = 0; i < r->nslots; i++)
		if (strcmp(r->slots[i].name, name) == 0)
			return (int)i;
	return -1;
}
