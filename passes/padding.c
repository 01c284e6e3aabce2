#include "passes/padding.h"

bool
padding_widths(const ir_attr *padding, uint32_t n, int64_t *out)
{
	if (padding->kind != ATTR_ARRAY || n == 0 ||
	    (padding->n != 1 && padding->n != n && padding->n != 2 * n))
		return false;
	for (uint32_t i = 0; i < 2 * n; i++) {
		const ir_attr *p = &padding->elems[i % padding->n];

		if (p->kind != ATTR_INT)
			return false;
		out[i] = p->i;
	}
	return true;
}
