/*
 * The rule files of this folder, compiled in: rules_NAME is NAME.rules.
 */
#ifndef RELAY_PASSES_REWRITES_REWRITES_H
#define RELAY_PASSES_REWRITES_REWRITES_H

extern const char rules_canonicalize_ops[];
extern const char rules_div_to_mul[];
extern const char rules_fast_math[];
extern const char rules_simplify_expr[];

#endif
