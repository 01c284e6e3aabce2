/*
 * Numbers and strings as they stand in the text.
 *
 * TVM writes every float with six significant digits. That is kept wherever
 * it reads back to the same bits; else the fewest digits are taken that do.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print_internal.h"

/* Does TEXT give VALUE again in a format of BITS? */
static bool
reads_back(const char *text, double value, unsigned bits)
{
	if (bits == 32)
		return strtof(text, NULL) == (float)value;
	if (bits == 16)
		return double_to_half(strtod(text, NULL)) ==
		       double_to_half(value);
	return strtod(text, NULL) == value;
}

/* VALUE if it is N thousandths with at most six digits: the usual case. */
static bool
put_short_decimal(struct buf *out, double value)
{
	double thousandths = value * 1000;
	unsigned n;

	if (!(fabs(value) < 1000) || (value == 0 && signbit(value)) ||
	    thousandths != (double)(int)thousandths ||
	    (int)thousandths / 1000.0 != value ||
	    (fabs(value) < 0.1 && value != 0))
		return false;
	n = (unsigned)abs((int)thousandths);
	if (value < 0)
		buf_putc(out, '-');
	buf_int(out, n / 1000);
	n %= 1000;
	if (n)
		buf_putc(out, '.');
	for (unsigned digit = 100; n; n %= digit, digit /= 10)
		buf_putc(out, (char)('0' + n / digit));
	return true;
}

/* VALUE, rounded to BITS, without suffix. */
void
print_digits(struct buf *out, double value, unsigned bits,
	     enum print_floats how)
{
	char text[40];

	if (isnan(value) || isinf(value)) {
		if (signbit(value))
			buf_putc(out, '-');
		buf_puts(out, isnan(value) ? "nan" : "inf");
		return;
	}
	if (put_short_decimal(out, value))
		return;
	snprintf(text, sizeof(text), "%g", value);
	for (int digits = 7; how == PRINT_FLOATS_EXACT && digits <= 17 &&
			     !reads_back(text, value, bits);
	     digits++)
		snprintf(text, sizeof(text), "%.*g", digits, value);
	buf_puts(out, text);
}

void
ir_print_float(struct buf *out, double value, unsigned bits,
	       enum print_floats how)
{
	print_digits(out, value, bits, how);
	buf_putc(out, 'f');
	if (bits != 32)
		buf_int(out, bits);
}

/* The bytes of T's only element are those of the NaN that "nanf" reads as. */
static bool
is_plain_nan(const ir_tensor *t)
{
	uint64_t bits = 0;

	memcpy(&bits, t->data, t->nbytes);
	switch (t->dtype.bits) {
	case 16:
		return (bits & 0x7fff) == 0x7e00;
	case 32:
		return (bits & 0x7fffffff) == 0x7fc00000;
	default:
		return (bits & INT64_MAX) == UINT64_C(0x7ff8000000000000);
	}
}

/* T has a literal: anything else stands in the metadata. */
bool
print_scalar_fits(const ir_tensor *t)
{
	struct dtype d = t->dtype;

	if (t->ndim != 0 || d.lanes != 1)
		return false;
	if (dtype_is_bool(d))
		return true;
	if (d.code == DTYPE_INT)
		return d.bits == 16 || d.bits == 32 || d.bits == 64;
	if (d.code != DTYPE_FLOAT ||
	    (d.bits != 16 && d.bits != 32 && d.bits != 64))
		return false;
	return !isnan(ir_tensor_get_double(t, 0)) || is_plain_nan(t);
}

void
print_scalar(struct print *p, const ir_tensor *t)
{
	if (dtype_is_bool(t->dtype)) {
		buf_puts(p->out, ir_tensor_get_int(t, 0) ? "True" : "False");
	} else if (t->dtype.code == DTYPE_INT) {
		buf_int(p->out, ir_tensor_get_int(t, 0));
		if (t->dtype.bits != 32) {
			buf_putc(p->out, 'i');
			buf_int(p->out, t->dtype.bits);
		}
	} else {
		ir_print_float(p->out, ir_tensor_get_double(t, 0),
			       t->dtype.bits, p->o->floats);
	}
}

/* S in quotes, with TVM's escapes. */
void
print_string(struct buf *out, const char *s, size_t len)
{
	static const char from[] = "\"\\\t\r\n";
	static const char to[] = "\"\\trn";

	buf_putc(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *at = c ? strchr(from, c) : NULL;

		if (at) {
			buf_putc(out, '\\');
			buf_putc(out, to[at - from]);
		} else if (c < 0x20 || c > 0x7e) {
			buf_printf(out, "\\x%02X", c);
		} else {
			buf_putc(out, (char)c);
		}
	}
	buf_putc(out, '"');
}
