/* Layouts: see ir/layout.h. */
#include "ir/layout.h"

#include <assert.h>
#include <string.h>

#include "ir/relation.h"

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static char
primal_of(char c)
{
	return is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* The inner part of an axis makes no sense without the axis. */
static bool
has_primals(const struct ir_layout *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (ir_layout_index(l, primal_of(l->axis[i].letter)) < 0)
			return false;
	return true;
}

/* What an axis is split by in all is no more than a number of 32 bits. */
static bool
factors_fit(const struct ir_layout *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		int64_t factor = 1;

		for (uint32_t k = i; k < l->n; k++)
			if (is_lower(l->axis[k].letter) &&
			    l->axis[k].letter == l->axis[i].letter &&
			    (factor *= l->axis[k].factor) > INT32_MAX)
				return false;
	}
	return true;
}

bool
ir_layout_parse(const char *text, struct ir_layout *out)
{
	int64_t factor = 0;

	out->n = 0;
	for (const char *p = text; *p; p++) {
		if (*p >= '0' && *p <= '9') {
			factor = factor * 10 + (*p - '0');
			if (factor > INT32_MAX)
				return false;
			continue;
		}
		if (!is_upper(*p) && !is_lower(*p))
			return false;
		if (is_lower(*p) != (factor > 0))
			return false;
		if (out->n == LAYOUT_MAX_AXES ||
		    (is_upper(*p) && ir_layout_index(out, *p) >= 0))
			return false;
		out->axis[out->n].letter = *p;
		out->axis[out->n++].factor = factor;
		factor = 0;
	}
	return factor == 0 && has_primals(out) && factors_fit(out);
}

int
ir_layout_index(const struct ir_layout *l, char letter)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->axis[i].letter == letter)
			return (int)i;
	return -1;
}

int64_t
ir_layout_factor(const struct ir_layout *l, char primal)
{
	return ir_layout_stride(l, 0, (char)(primal - 'A' + 'a'));
}

int64_t
ir_layout_stride(const struct ir_layout *l, uint32_t from, char inner)
{
	int64_t factor = 1;

	for (uint32_t i = from; i < l->n; i++)
		if (l->axis[i].letter == inner)
			factor *= l->axis[i].factor;
	return factor;
}

static bool
covers(const struct ir_layout *a, const struct ir_layout *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (is_upper(b->axis[i].letter) &&
		    ir_layout_index(a, b->axis[i].letter) < 0)
			return false;
	return true;
}

bool
ir_layout_convertible(const struct ir_layout *a, const struct ir_layout *b)
{
	return a->n && b->n && covers(a, b) && covers(b, a);
}

bool
ir_layout_convert(const struct ir_layout *from, const struct ir_layout *to,
		  const struct ir_dim *shape, struct ir_dim *out)
{
	for (uint32_t i = 0; i < to->n; i++) {
		char letter = to->axis[i].letter;

		if (is_lower(letter)) {
			out[i] = DIM(to->axis[i].factor);
			continue;
		}
		int64_t inner = ir_layout_factor(from, letter);
		int64_t block = ir_layout_factor(to, letter);
		int at = ir_layout_index(from, letter);

		assert(at >= 0);
		out[i] = shape[at];
		if (inner != block && inner != 1)
			out[i] = ir_dim_mul(out[i], DIM(inner));
		if (ir_dim_is_const(shape[at]) && !ir_dim_is_const(out[i]))
			return false;
		if (inner != block && block != 1)
			out[i] = ir_dim_div(out[i], block);
	}
	return true;
}

bool
ir_parts_parse(const char *p, struct ir_parts *out)
{
	out->n = 0;
	while (*p) {
		struct ir_part *part = &out->part[out->n];

		if (out->n == LAYOUT_MAX_AXES)
			return false;
		part->extent = 0;
		for (; *p >= '0' && *p <= '9' && part->extent < INT32_MAX; p++)
			part->extent = part->extent * 10 + (*p - '0');
		part->name = p;
		while (is_upper(*p) || is_lower(*p) || *p == '_')
			p++;
		part->len = (size_t)(p - part->name);
		if (part->extent == 0 || part->len == 0)
			return false;
		out->n++;
	}
	return out->n > 0;
}

bool
ir_parts_same(const struct ir_part *a, const struct ir_part *b)
{
	return a->len == b->len && memcmp(a->name, b->name, a->len) == 0;
}
