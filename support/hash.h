/*
 * Hashing that gives the same number on every machine.
 *
 * Structural hashes are printed and stored (--stable-names, tuning records),
 * so nothing here may depend on pointers, byte order or the word size.
 */
#ifndef RELAY_SUPPORT_HASH_H
#define RELAY_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Mix X into H. Order matters; both arguments may be any number. */
static inline uint64_t
hash_mix(uint64_t h, uint64_t x)
{
	h ^= x + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 29;
	return h;
}

/* Hash of LEN bytes (FNV-1a, then mixed). */
static inline uint64_t
hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return hash_mix(h, len);
}

#endif
