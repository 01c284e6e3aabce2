/*
 * Weights packed ahead of the network.
 *
 * A matrix that a kernel multiplies by, where it is an input or a constant of
 * the network, is brought into panels in the order of WRAM once, by
 * NAME_prepare; kernels then load it with contiguous copies. A network that
 * runs again with the same weights need not prepare again.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"

bool
bang_is_packed(const struct bang_kernel *k, const struct tir_buffer *b)
{
	for (uint32_t i = 0; k->packed && i < k->func->nparams; i++)
		if (k->func->params[i].buffer == b)
			return k->packed[i];
	return false;
}

void
bang_add_weights(struct bang_kernel *k, const struct tir_buffer *b,
		 const struct bang_weights *w)
{
	if (k->nweights == BANG_MAX_WEIGHTS)
		return;
	for (uint32_t i = 0; i < k->func->nparams; i++)
		if (k->func->params[i].buffer == b) {
			k->weights[k->nweights] = *w;
			k->weights[k->nweights++].param = i;
		}
}

/* Is the only word of K's code that is NAME the operand to be packed? */
static bool
is_mentioned_once(const struct bang_kernel *k, const char *name)
{
	const char *at = strstr(k->body, name);

	while (at && !bang_word_at(k->body, at, strlen(name)))
		at = strstr(at + 1, name);
	return at && !bang_text_mentions(at + strlen(name), name);
}

/* The place of W among what is packed; added if it is new. */
static int64_t
place_of(struct bang_packing *p, uint32_t input, int64_t from,
	 const struct bang_weights *w)
{
	struct bang_packed new = {input, from, w, p->bytes};

	for (size_t i = 0; i < p->len; i++) {
		const struct bang_packed *old = &p->at[i];

		if (old->input == input && old->from == from &&
		    !strcmp(old->weights->pack, w->pack) &&
		    !strcmp(old->weights->type, w->type) &&
		    !strcmp(old->weights->rest, w->rest))
			return old->at;
	}
	vec_push(p, new);
	p->bytes += (w->bytes + 127) / 128 * 128;
	return new.at;
}

void
bang_plan_packing(struct bang_packing *p, struct bang_call *c,
		  const struct interface *net, struct arena *a)
{
	uint32_t n = c->kernel->func->nparams;

	for (unsigned i = 0; i < c->kernel->nweights; i++) {
		const struct bang_weights *w = &c->kernel->weights[i];
		const tir_expr *arg = c->stmt->call.args[w->param];
		const char *name =
			c->kernel->func->params[w->param].buffer->name;
		uint32_t from = 0;

		while (net->main->params[from].buffer != arg->buffer)
			if (++from == net->main->nparams)
				return;
		if ((from >= net->ninputs &&
		     from != net->ninputs + net->noutputs) ||
		    !is_mentioned_once(c->kernel, name))
			continue;
		if (!c->packed) {
			c->packed = arena_alloc(a, n * sizeof(*c->packed));
			for (uint32_t k = 0; k < n; k++)
				c->packed[k] = -1;
		}
		c->packed[w->param] = place_of(p, from, arg->arg[0]->i, w);
	}
}
