/*
 * Sizes: dimensions that are known at run time only.
 *
 * As an extent, a size is the address of its variable, under a mark in the
 * upper 16 bits that depends on it: arithmetic on it by mistake gives a
 * number that is no size, and no dimension either.
 */
#include "ir/module.h"
#include "ir/te.h"

static const uint64_t address_mask = UINT64_C(0x0000ffffffffffff);

/* Two bits, and 14 that depend on the address. */
static uint64_t
mark_of(uint64_t address)
{
	uint64_t h = (address >> 3) * UINT64_C(0x9e3779b97f4a7c15);

	return UINT64_C(0x8000) | (h >> 50 & 0x3fff);
}

int64_t
te_size_extent(const struct tir_var *v)
{
	uint64_t address = (uint64_t)(uintptr_t)v & address_mask;

	return (int64_t)(mark_of(address) << 48 | address);
}

bool
te_is_size(int64_t extent)
{
	uint64_t address = (uint64_t)extent & address_mask;

	return extent < 0 && (uint64_t)extent >> 48 == mark_of(address);
}

const struct tir_var *
te_size_var(int64_t extent)
{
	return (const struct tir_var *)(uintptr_t)((uint64_t)extent &
						   address_mask);
}

const tir_expr *
te_extent_expr(ir_module *m, struct dtype t, int64_t extent)
{
	const tir_expr *e;

	if (!te_is_size(extent))
		return tir_int(m, t, extent);
	e = tir_var_ref(m, te_size_var(extent));
	return dtype_equal(t, e->dtype) ? e : tir_cast(m, t, e);
}

int
te_find_size(const te_func *f, const struct tir_var *v)
{
	for (uint32_t i = 0; i < f->nsizes; i++)
		if (f->sizes[i].var == v)
			return (int)i;
	return -1;
}
