/*
 * Element types: code, bits per lane, lanes; a value of four bytes.
 */
#ifndef RELAY_IR_DTYPE_H
#define RELAY_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are those of tensor files (DLPack). bool is UINT with 1 bit. */
enum dtype_code {
	DTYPE_INT = 0,
	DTYPE_UINT = 1,
	DTYPE_FLOAT = 2,
	DTYPE_HANDLE = 3,
	DTYPE_BFLOAT = 4,
	DTYPE_E4M3 = 6,
	DTYPE_E5M2 = 7,
	DTYPE_CUSTOM = 129, /* and up: index into a name table */
};

struct dtype {
	uint8_t code;
	uint8_t bits;   /* 0 with code HANDLE: void */
	uint16_t lanes; /* 1 for a scalar */
};

#define DTYPE(code, bits) ((struct dtype){DTYPE_##code, (bits), 1})
#define DTYPE_BOOL DTYPE(UINT, 1)
#define DTYPE_VOID ((struct dtype){DTYPE_HANDLE, 0, 0})

static inline bool
dtype_equal(struct dtype a, struct dtype b)
{
	return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

static inline bool
dtype_is_void(struct dtype t)
{
	return t.code == DTYPE_HANDLE && t.bits == 0;
}

static inline bool
dtype_is_bool(struct dtype t)
{
	return t.code == DTYPE_UINT && t.bits == 1;
}

static inline bool
dtype_is_float(struct dtype t)
{
	return t.code == DTYPE_FLOAT || t.code == DTYPE_BFLOAT ||
	       t.code == DTYPE_E4M3 || t.code == DTYPE_E5M2;
}

static inline bool
dtype_is_int(struct dtype t) /* signed or not, not bool */
{
	return (t.code == DTYPE_INT || t.code == DTYPE_UINT) && t.bits != 1;
}

/* Bytes of one element in a tensor file: whole bytes per lane. */
static inline size_t
dtype_size(struct dtype t)
{
	return (size_t)((t.bits + 7) / 8) * (t.lanes ? t.lanes : 1);
}

enum { DTYPE_TEXT = 64 }; /* room that dtype_text needs */

/*
 * The name: "float32", "bool", "int8x4", "bfloat16", "e4m3_float8", "handle",
 * "custom[myfloat]32"; "" for void. Returns OUT.
 */
const char *dtype_text(struct dtype t, char out[DTYPE_TEXT]);

/*
 * Read a name in full. Bare int, uint and float are 32 bits wide; bool is
 * uint1; "void" and "" are DTYPE_VOID. False if S is no such name.
 */
bool dtype_parse(const char *s, size_t len, struct dtype *out);

/*
 * Conversions of element values, to nearest even. Used by constants, the
 * evaluator and code generation alike.
 */
float half_to_float(uint16_t h);
uint16_t float_to_half(float f);
uint16_t double_to_half(double d); /* rounds once */
float bfloat_to_float(uint16_t b);
uint16_t float_to_bfloat(float f);

#endif
