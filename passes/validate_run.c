/*
 * Evaluating a copy of a module on random inputs. The copy goes through text,
 * the constants beside it; inputs follow from the type of the function, the
 * seed and the number of the run, so two states of a module see the same.
 */
#include "passes/validate_run.h"

#include <string.h>

#include "ir/infer.h"
#include "ir/print.h"
#include "ir/tir.h"
#include "ir/walk.h"
#include "parser/parser.h"
#include "passes/validate.h"
#include "support/hash.h"
#include "support/ptrmap.h"
#include "te/interp.h"
#include "te/interp_random.h"

enum { MAX_CALLS = 20000, MAX_LEAVES = 10000 };

static char *
copy_text(const char *s)
{
	return strcpy(xmalloc(strlen(s) + 1), s);
}

static void
free_run(struct validate_run *r)
{
	for (size_t i = 0; i < r->leaves.len; i++) {
		free(r->leaves.at[i].path);
		free(r->leaves.at[i].word);
		ir_tensor_unref(r->leaves.at[i].tensor);
	}
	vec_free(&r->leaves);
	free(r->error);
}

static void
free_state(struct validate_state *s)
{
	for (size_t i = 0; i < s->functions.len; i++) {
		struct validate_function *f = &s->functions.at[i];

		for (size_t k = 0; k < f->runs.len; k++)
			free_run(&f->runs.at[k]);
		vec_free(&f->runs);
	}
	vec_free(&s->functions);
	if (s->copy)
		ir_module_free(s->copy);
	named_tensors_free(&s->constants);
	buf_free(&s->text);
	free(s->error);
	free(s);
}

struct validate_state *
validate_state_ref(struct validate_state *s)
{
	s->refs++;
	return s;
}

void
validate_state_unref(struct validate_state *s)
{
	if (s && --s->refs == 0)
		free_state(s);
}

/* --------------------------------------------------------------- states -- */

struct validate_cache {
	struct ptrmap by_hash; /* the last state of each hash */
	VEC(struct validate_state *) all;
};

struct validate_cache *
validate_cache_new(void)
{
	return xcalloc(1, sizeof(struct validate_cache));
}

void
validate_cache_free(struct validate_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->all.len; i++)
		validate_state_unref(c->all.at[i]);
	vec_free(&c->all);
	ptrmap_free(&c->by_hash);
	free(c);
}

bool
validate_same_state(const struct validate_state *a,
		    const struct validate_state *b)
{
	if (a == b)
		return true;
	if (a->hash != b->hash || a->text.len != b->text.len ||
	    a->constants.len != b->constants.len ||
	    memcmp(a->text.at, b->text.at, a->text.len) != 0)
		return false;
	for (size_t i = 0; i < a->constants.len; i++)
		if (!ir_tensor_equal(a->constants.at[i].tensor,
				     b->constants.at[i].tensor))
			return false;
	return true;
}

struct validate_state *
validate_state_of(struct validate_cache *cache, const ir_module *m)
{
	struct validate_state *s = xcalloc(1, sizeof(*s));
	struct print_options print = {.types = PRINT_TYPES_AUTO,
				      .constants = &s->constants};
	struct validate_state *known;
	uintptr_t *last;

	s->refs = 1;
	ir_print_module(&s->text, m, &print);
	s->hash = hash_bytes(s->text.at, s->text.len);
	if (!cache)
		return s;
	/* Any number but 0 will do for a key. */
	last = ptrmap_add(&cache->by_hash, (void *)(uintptr_t)(s->hash | 1),
			  NULL);
	known = (struct validate_state *)*last;
	while (known && !validate_same_state(known, s))
		known = known->next;
	if (known) {
		free_state(s);
		return validate_state_ref(known);
	}
	s->is_cached = true;
	s->next = (struct validate_state *)*last;
	*last = (uintptr_t)s;
	vec_push(&cache->all, s);
	return validate_state_ref(s);
}

/* Keeps the first error, in *ENV. */
static void
keep_error(void *env, const struct diag_message *m)
{
	char **error = env;

	if (m->level == DIAG_ERROR && !*error)
		*error = copy_text(m->text);
}

static void
quiet_diag(struct diag *d, char **error)
{
	diag_init(d, "relay-opt", NULL);
	d->handler = keep_error;
	d->handler_env = error;
	d->max_errors = 0;
}

/* ------------------------------------------------------------ results -- */

struct part {
	struct interp_value *value;
	char *path;
};

static void
add_leaf(struct validate_run *r, struct part *p)
{
	struct validate_leaf leaf = {.path = p->path};

	if (p->value->kind == INTERP_TENSOR)
		leaf.tensor = ir_tensor_ref(p->value->tensor);
	else if (p->value->kind == INTERP_DATA)
		leaf.word = copy_text(p->value->ctor->name);
	else if (p->value->kind == INTERP_REF)
		leaf.word = copy_text("a reference");
	else if (p->value->kind != INTERP_TUPLE)
		leaf.word = copy_text("a function");
	vec_push(&r->leaves, leaf);
}

static char *
part_path(const char *path, uint32_t i)
{
	struct buf out = {0};

	buf_printf(&out, "%s.%u", path, i);
	return out.at;
}

/* The leaves of V in order. Data may be long, so no recursion. */
static void
flatten(struct validate_run *r, struct interp_value *v)
{
	VEC(struct part) todo = {0};
	struct part p = {v, copy_text("")};

	vec_push(&todo, p);
	while (todo.len > 0) {
		p = vec_pop(&todo);
		if (r->leaves.len == MAX_LEAVES) {
			free(p.path);
			continue;
		}
		add_leaf(r, &p);
		if (p.value->kind == INTERP_TENSOR ||
		    p.value->kind == INTERP_CLOSURE)
			continue;
		for (uint32_t i = p.value->n; i-- > 0;) {
			struct part q = {p.value->at[i], part_path(p.path, i)};

			vec_push(&todo, q);
		}
	}
	vec_free(&todo);
}

/* --------------------------------------------------------------- runs -- */

/* Arguments for DEF in ARGS; false, with an error in R, if there are none. */
static bool
make_arguments(struct interp *x, ir_module *m, const ir_def *def,
	       struct interp_random *random, struct validate_run *r,
	       struct interp_value **args, uint32_t *n)
{
	for (*n = 0; *n < def->fn->nparams; ++*n) {
		const struct ir_var *p = def->fn->params[*n];
		const ir_expr *e = interp_random_expr(random, p->base.type);
		struct buf text = {0};

		args[*n] = e ? interp_eval(x, e) : NULL;
		if (args[*n])
			continue;
		buf_printf(&text, "no value of type %s is known",
			   ir_type_text(m->cx, p->base.type));
		free(r->error);
		r->error = text.at;
		return false;
	}
	return true;
}

/* Even runs see numbers of both signs, odd ones positive numbers. */
static void
run_once(struct interp *x, ir_module *m, const ir_def *def, unsigned number,
	 uint64_t seed, struct validate_run *r)
{
	struct interp_random random = {.module = m,
				       .state = seed * 1000003 + number,
				       .positive = number & 1,
				       .any = 3};
	struct interp_value **args =
		xcalloc(def->fn->nparams + 1, sizeof(*args));
	struct interp_value *v = NULL;
	uint32_t n;

	interp_limit(x, MAX_CALLS);
	if (make_arguments(x, m, def, &random, r, args, &n))
		v = interp_call(x, def, args, n);
	if (v)
		flatten(r, v);
	else if (!r->error)
		r->error = copy_text("it cannot be evaluated");
	interp_unref(v);
	while (n > 0)
		interp_unref(args[--n]);
	free(args);
}

/* X reports to D. */
static void
run_function(struct validate_state *s, struct interp *x, struct diag *d,
	     ir_module *m, const ir_def *def, unsigned runs, uint64_t seed)
{
	struct validate_function f = {.name = def->name};

	f.type = def->fn ? def->fn->base.type : NULL;
	for (unsigned i = 0; i < runs; i++) {
		struct validate_run r = {0};

		quiet_diag(d, &r.error);
		if (def->fn && def->fn->body)
			run_once(x, m, def, i, seed, &r);
		else
			r.error = copy_text("it has no Relay body");
		vec_push(&f.runs, r);
	}
	vec_push(&s->functions, f);
}

/* ---------------------------------------------------------- the module -- */

struct filler {
	ir_module *m;
	VEC(ir_tensor *) given; /* by index in the metadata */
	uint64_t seed;
};

static struct ir_constant *
as_placeholder(const ir_expr *e)
{
	if (e->kind != IR_CONSTANT || ir_as_constant(e)->data)
		return NULL;
	return (struct ir_constant *)(uintptr_t)e;
}

/* Give a placeholder the data that the original has. */
static void
give_data(const ir_expr *e, void *env)
{
	struct filler *f = env;
	struct ir_constant *c = as_placeholder(e);

	if (!c || c->meta_index >= f->given.len || !f->given.at[c->meta_index])
		return;
	c->data = f->given.at[c->meta_index];
	vec_push(&f->m->tensors, ir_tensor_ref(c->data));
}

/* The original has none either: numbers of its type. */
static void
make_data(const ir_expr *e, void *env)
{
	struct filler *f = env;
	struct ir_constant *c = as_placeholder(e);
	struct interp_random random = {.module = f->m, .any = 3};
	const ir_expr *made;

	if (!c || !e->type)
		return;
	random.state = f->seed + c->meta_index;
	made = interp_random_expr(&random, e->type);
	if (made && made->kind == IR_CONSTANT)
		c->data = ir_as_constant(made)->data;
}

/* The constants that loops are passed. */
static void
each_listed(const tir_func *f, void (*visit)(const ir_expr *e, void *env),
	    void *env)
{
	const ir_attr *list = ir_dict_get(f->attrs, "constants");

	for (uint32_t i = 0; list && list->kind == ATTR_ARRAY && i < list->n;
	     i++)
		if (list->elems[i].kind == ATTR_EXPR)
			visit(list->elems[i].expr, env);
}

/* The constants in attributes of calls, which a walk does not come to. */
struct attr_visit {
	void (*visit)(const ir_expr *e, void *env);
	void *env;
};

static void
each_attribute(const ir_expr *e, void *env)
{
	const struct attr_visit *v = env;
	const ir_attrs *attrs =
		e->kind == IR_CALL ? ir_as_call(e)->attrs : NULL;

	for (uint32_t i = 0; attrs && i < attrs->n; i++)
		if (attrs->value[i].kind == ATTR_EXPR)
			v->visit(attrs->value[i].expr, v->env);
	v->visit(e, v->env);
}

static void
each_node(ir_module *m, void (*visit)(const ir_expr *e, void *env), void *env)
{
	struct attr_visit v = {visit, env};

	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];

		if (def->kind == DEF_TIR && def->tir)
			each_listed(def->tir, visit, env);
		else if (def->fn)
			ir_walk(&def->fn->base, NULL, each_attribute, &v);
	}
}

/* The constants of S by the number in "meta[relay.Constant][N]". */
static void
index_constants(const struct validate_state *s, struct filler *f)
{
	static const char before[] = "meta[relay.Constant][";

	for (size_t i = 0; i < s->constants.len; i++) {
		const char *name = s->constants.at[i].name;
		unsigned long n = strtoul(name + sizeof(before) - 1, NULL, 10);

		while (f->given.len <= n)
			vec_push(&f->given, NULL);
		f->given.at[n] = s->constants.at[i].tensor;
	}
}

ir_module *
validate_read(struct validate_state *s, ir_context *cx, struct diag *d)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;
	struct filler f = {0};
	ir_module *m;

	if (s->copy)
		return s->copy;
	o.data_follows = true;
	m = f.m = parse_module(cx, d->source, d, &o);
	if (!m)
		return NULL;
	index_constants(s, &f);
	each_node(m, give_data, &f);
	vec_free(&f.given);
	if (ir_infer_module(m, d))
		return s->copy = m;
	ir_module_free(m);
	return NULL;
}

bool
validate_reads_bare(const ir_module *m, struct diag *d)
{
	struct validate_state bare = {0};
	struct print_options print = {.types = PRINT_TYPES_NONE,
				      .constants = &bare.constants};
	struct source *before = d->source;
	struct source text;
	ir_module *copy;

	ir_print_module(&bare.text, m, &print);
	source_init(&text, "<copy>", bare.text.at, bare.text.len);
	d->source = &text;
	copy = validate_read(&bare, m->cx, d);
	if (copy)
		ir_module_free(copy);
	d->source = before;
	source_free(&text);
	buf_free(&bare.text);
	named_tensors_free(&bare.constants);
	return copy != NULL;
}

static void
run_functions(struct validate_state *s, ir_module *m, unsigned runs,
	      uint64_t seed)
{
	const ir_def *main = ir_module_find(m, ir_name(m->cx, "main"));
	size_t n = m->defs.len;
	struct diag d;
	struct interp *x;

	quiet_diag(&d, NULL);
	x = interp_new(m, &d);
	if (main)
		run_function(s, x, &d, m, main, runs, seed);
	for (size_t i = 0; i < n && !main; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			run_function(s, x, &d, m, m->defs.at[i], runs, seed);
	interp_free(x);
}

void
validate_evaluate(struct validate_state *s, ir_context *cx, unsigned runs,
		  uint64_t seed)
{
	struct filler f = {.seed = seed};
	struct source text;
	struct diag d;

	if (s->is_evaluated)
		return;
	s->is_evaluated = true;
	quiet_diag(&d, &s->error);
	source_init(&text, "<copy>", s->text.at, s->text.len);
	d.source = &text;
	f.m = validate_read(s, cx, &d);
	if (f.m) {
		each_node(f.m, make_data, &f);
		run_functions(s, f.m, runs, seed);
	} else if (!s->error) {
		s->error = copy_text("its copy cannot be read");
	}
	source_free(&text);
	if (f.m && !s->is_cached) {
		ir_module_free(f.m);
		s->copy = NULL;
	}
}
