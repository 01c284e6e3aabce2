/*
 * Helpers of the scanner: what a regular expression cannot decide alone.
 *
 * The whole text lies in memory, so a rule may look ahead of its match there
 * (lex->off is the end of the match) at no cost.
 */
#ifndef RELAY_LEXER_LEX_H
#define RELAY_LEXER_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/context.h"

/* The scanner and the grammar over it; private to lexer/ and parser/. */
int lex_open(struct parse_ctx *cx); /* 0, or ENOMEM */
void lex_close(struct parse_ctx *cx);

/* Give flex up to MAX bytes of text. */
size_t lex_read(struct parse_ctx *cx, char *to, size_t max);

/*
 * A single '=' (not '==' or '=>') follows, after blanks and comments, and
 * what stands before it is no type.
 */
bool lex_equals_follows(const struct parse_ctx *cx);

/* The offset of the next character that is not blank or comment. */
size_t lex_skip_blanks(const struct parse_ctx *cx, size_t off);

/*
 * The number of bytes, from OFF on, of the name that starts there with a
 * letter, where the scanner matched LEN bytes: more where importers write dots and
 * colons into names, less where "%x/%y" is a division.
 */
size_t lex_local_length(struct parse_ctx *cx, size_t off, size_t len);
size_t lex_global_length(struct parse_ctx *cx, size_t off, size_t len);

/* Bytes that belong to a dotted name written with blanks; usually LEN. */
size_t lex_dotted_length(struct parse_ctx *cx, size_t off, size_t len);

/* The interned name in [off, off + len), without blanks. */
const char *lex_name(struct parse_ctx *cx, size_t off, size_t len);

/*
 * Values of tokens; NULL after a report. Numbers and references live until
 * some more were read: the grammar holds no more than two at a time.
 */
struct number *lex_int(struct parse_ctx *cx, const char *s, size_t len);
struct number *lex_unsigned(struct parse_ctx *cx, const char *s, size_t len);
struct number *lex_bfloat(struct parse_ctx *cx, const char *s, size_t len,
			  struct loc loc);
struct number *lex_float(struct parse_ctx *cx, const char *s, size_t len,
			 struct loc loc);
uint64_t lex_digits(const char *s, size_t len);
const char *lex_string(struct parse_ctx *cx, const char *s, size_t len);
struct meta_ref *lex_meta_ref(struct parse_ctx *cx, const char *s, size_t len,
			      struct loc loc);

/* The reference is the record of a call: the last thing before a ')'. */
bool lex_is_record(const struct parse_ctx *cx, const struct meta_ref *ref);

/*
 * lexer/device.c: a device as it prints without metadata, "(device_type=1,
 * ...)", follows up to *END; NULL if it is unconstrained, or after a report.
 */
const ir_meta *lex_device(struct parse_ctx *cx, size_t *end);

/* A syntax error: skip to the end of the statement or block it is in. */
void lex_recover(struct parse_ctx *cx, struct loc loc);

/* Forget all open brackets; the number of braces among them. */
uint32_t lex_close_all(struct lex_state *lex);

/* lexer/low.c: NAME begins a definition below Relay, or ends those. */
bool lex_starts_low(const struct parse_ctx *cx, const char *name);
bool lex_ends_low(const struct parse_ctx *cx, const char *name);

/* The token for a word of them; FLAG is the value of a truth value. */
int lex_low_token(struct parse_ctx *cx, const char *name, bool *flag);

/* "= primfn" follows at the top level: the text is raw up to OFFSET. */
bool lex_raw_follows(struct parse_ctx *cx, size_t *end);

/* Note a bracket; false if they nest too deep (reported). */
bool lex_bracket(struct parse_ctx *cx, int token, struct loc loc);

/* One token of a source text of any kind; what the grammar calls. */
union RELAY_YYSTYPE;

/*
 * The next token if its first characters tell it: punctuation, a bracket, a
 * variable. 0, and nothing taken, if the scanner must look.
 */
int lex_quick(struct parse_ctx *cx, union RELAY_YYSTYPE *val, struct loc *loc);
int relay_yylex(union RELAY_YYSTYPE *val, struct loc *loc,
		struct parse_ctx *cx);

#endif
