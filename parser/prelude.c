#include "parser/prelude.h"

#include <string.h>

#include "parser/syn.h"

struct std_type {
	const char *name;
	const char *ctors; /* names, each with a blank behind */
	const char *text;
};

static const struct std_type types[] = {
	{"List", "Cons Nil ", "type List[A] { Cons(A, List[A]), Nil, }"},
	{"Option", "Some None ", "type Option[A] { Some(A), None, }"},
	{"Tree", "Rose ", "type Tree[A] { Rose(A, List[Tree[A]]), }"},
	{"Storage", "", "type Storage { }"},
	{"GradCell", "Raw One Zero ",
	 "type GradCell[T] { Raw(T), One(fn () -> T), Zero(fn () -> T), }"},
	{"nat", "zero succ ", "type nat { zero, succ(nat), }"},
};

enum { NTYPES = sizeof(types) / sizeof(types[0]) };

struct std_function {
	const char *name;
	const char *text;
};

static const struct std_function functions[] = {
	{"id", "def @id[A](%x: A) -> A { %x }"},
	{"compose", "def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B)"
		    "    -> fn (A) -> C {"
		    "  fn (%x: A) -> C { %f(%g(%x)) }"
		    "}"},
	{"flip", "def @flip[A, B, C](%f: fn (A, B) -> C) -> fn (B, A) -> C {"
		 "  fn (%b: B, %a: A) -> C { %f(%a, %b) }"
		 "}"},
	{"iterate",
	 "def @iterate[A](%f: fn (A) -> A, %n: int32) -> fn (A) -> A {"
	 "  if (%n == 0) { @id } else {"
	 "    @compose(%f, @iterate(%f, %n - 1))"
	 "  }"
	 "}"},
	{"hd", "def @hd[A](%list: List[A]) -> A {"
	       "  match? (%list) { Cons(%x, _) => %x, }"
	       "}"},
	{"tl", "def @tl[A](%list: List[A]) -> List[A] {"
	       "  match? (%list) { Cons(_, %rest) => %rest, }"
	       "}"},
	{"nth",
	 "def @nth[A](%list: List[A], %n: int32) -> A {"
	 "  if (%n == 0) { @hd(%list) } else { @nth(@tl(%list), %n - 1) }"
	 "}"},
	{"update",
	 "def @update[A](%list: List[A], %n: int32, %x: A) -> List[A] {"
	 "  if (%n == 0) { Cons(%x, @tl(%list)) } else {"
	 "    Cons(@hd(%list), @update(@tl(%list), %n - 1, %x))"
	 "  }"
	 "}"},
	{"length", "def @length[A](%list: List[A]) -> int32 {"
		   "  match (%list) {"
		   "    Cons(_, %rest) => 1 + @length(%rest), Nil => 0,"
		   "  }"
		   "}"},
	{"size", "def @size[A](%tree: Tree[A]) -> int32 {"
		 "  match (%tree) {"
		 "    Rose(_, %below) => 1 + @sum(@map(@size, %below)),"
		 "  }"
		 "}"},
	{"map", "def @map[A, B](%f: fn (A) -> B, %list: List[A]) -> List[B] {"
		"  match (%list) {"
		"    Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)),"
		"    Nil => Nil,"
		"  }"
		"}"},
	{"foldl",
	 "def @foldl[A, B](%f: fn (A, B) -> A, %start: A, %list: List[B])"
	 "    -> A {"
	 "  match (%list) {"
	 "    Cons(%x, %rest) => @foldl(%f, %f(%start, %x), %rest),"
	 "    Nil => %start,"
	 "  }"
	 "}"},
	{"foldr",
	 "def @foldr[A, B](%f: fn (A, B) -> B, %start: B, %list: List[A])"
	 "    -> B {"
	 "  match (%list) {"
	 "    Cons(%x, %rest) => %f(%x, @foldr(%f, %start, %rest)),"
	 "    Nil => %start,"
	 "  }"
	 "}"},
	{"foldr1", "def @foldr1[A](%f: fn (A, A) -> A, %list: List[A]) -> A {"
		   "  match? (%list) {"
		   "    Cons(%x, Nil) => %x,"
		   "    Cons(%x, %rest) => %f(%x, @foldr1(%f, %rest)),"
		   "  }"
		   "}"},
	{"filter",
	 "def @filter[A](%f: fn (A) -> bool, %list: List[A]) -> List[A] {"
	 "  match (%list) {"
	 "    Cons(%x, %rest) => {"
	 "      if (%f(%x)) { Cons(%x, @filter(%f, %rest)) } else {"
	 "        @filter(%f, %rest)"
	 "      }"
	 "    },"
	 "    Nil => Nil,"
	 "  }"
	 "}"},
	{"concat", "def @concat[A](%a: List[A], %b: List[A]) -> List[A] {"
		   "  match (%a) {"
		   "    Cons(%x, %rest) => Cons(%x, @concat(%rest, %b)),"
		   "    Nil => %b,"
		   "  }"
		   "}"},
	{"rev", "def @rev[A](%list: List[A]) -> List[A] {"
		"  @foldl(fn (%done: List[A], %x: A) -> List[A] {"
		"    Cons(%x, %done)"
		"  }, Nil, %list)"
		"}"},
	{"zip", "def @zip[A, B](%a: List[A], %b: List[B]) -> List[(A, B)] {"
		"  match ((%a, %b)) {"
		"    (Cons(%x, %xs), Cons(%y, %ys)) =>"
		"      Cons((%x, %y), @zip(%xs, %ys)),"
		"    _ => Nil,"
		"  }"
		"}"},
	{"sum",
	 "def @sum(%list: List[int32]) -> int32 {"
	 "  @foldl(fn (%a: int32, %b: int32) -> int32 { %a + %b }, 0, %list)"
	 "}"},
	{"map_accumr",
	 "def @map_accumr[A, B, C](%f: fn (A, B) -> (A, C), %start: A,"
	 "    %list: List[B]) -> (A, List[C]) {"
	 "  @foldr(fn (%x: B, %state: (A, List[C])) -> (A, List[C]) {"
	 "    let %next = %f(%state.0, %x);"
	 "    (%next.0, Cons(%next.1, %state.1))"
	 "  }, (%start, Nil), %list)"
	 "}"},
	{"map_accuml",
	 "def @map_accuml[A, B, C](%f: fn (A, B) -> (A, C), %start: A,"
	 "    %list: List[B]) -> (A, List[C]) {"
	 "  match (%list) {"
	 "    Cons(%x, %rest) => {"
	 "      let %next = %f(%start, %x);"
	 "      let %after = @map_accuml(%f, %next.0, %rest);"
	 "      (%after.0, Cons(%next.1, %after.1))"
	 "    },"
	 "    Nil => (%start, Nil),"
	 "  }"
	 "}"},
	{"unfoldl",
	 "def @unfoldl[A, B](%f: fn (A) -> Option[(A, B)], %start: A)"
	 "    -> List[B] {"
	 "  let %go = fn (%state: A, %done: List[B]) -> List[B] {"
	 "    match (%f(%state)) {"
	 "      Some(%pair) => %go(%pair.0, Cons(%pair.1, %done)),"
	 "      None => %done,"
	 "    }"
	 "  };"
	 "  %go(%start, Nil)"
	 "}"},
	{"unfoldr",
	 "def @unfoldr[A, B](%f: fn (A) -> Option[(A, B)], %start: A)"
	 "    -> List[B] {"
	 "  match (%f(%start)) {"
	 "    Some(%pair) => Cons(%pair.1, @unfoldr(%f, %pair.0)),"
	 "    None => Nil,"
	 "  }"
	 "}"},
	{"tmap", "def @tmap[A, B](%f: fn (A) -> B, %tree: Tree[A]) -> Tree[B] {"
		 "  let %sub = fn (%t: Tree[A]) -> Tree[B] { @tmap(%f, %t) };"
		 "  match (%tree) {"
		 "    Rose(%x, %below) => Rose(%f(%x), @map(%sub, %below)),"
		 "  }"
		 "}"},
	{"FromGradCell", "def @FromGradCell[T](%g: GradCell[T]) -> T {"
			 "  match (%g) {"
			 "    Raw(%x) => %x, One(%x) => %x(), Zero(%x) => %x(),"
			 "  }"
			 "}"},
	{"MultiplyGradCell",
	 "def @MultiplyGradCell[T](%multiply: fn (T, T) -> T,"
	 "    %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {"
	 "  match ((%l, %r)) {"
	 "    (Zero(_), _) => %l,"
	 "    (_, Zero(_)) => %r,"
	 "    (One(_), _) => %r,"
	 "    (_, One(_)) => %l,"
	 "    _ => Raw(%multiply(@FromGradCell(%l), @FromGradCell(%r))),"
	 "  }"
	 "}"},
	{"AddGradCell",
	 "def @AddGradCell[T](%add: fn (T, T) -> T,"
	 "    %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {"
	 "  match ((%l, %r)) {"
	 "    (Zero(_), _) => %r,"
	 "    (_, Zero(_)) => %l,"
	 "    _ => Raw(%add(@FromGradCell(%l), @FromGradCell(%r))),"
	 "  }"
	 "}"},
	{"nat_double", "def @nat_double(%n: nat) -> nat {"
		       "  match (%n) {"
		       "    zero => zero,"
		       "    succ(%m) => succ(succ(@nat_double(%m))),"
		       "  }"
		       "}"},
	{"nat_add", "def @nat_add(%m: nat, %n: nat) -> nat {"
		    "  match (%m) {"
		    "    zero => %n, succ(%k) => succ(@nat_add(%k, %n)),"
		    "  }"
		    "}"},
	{"nat_nth",
	 "def @nat_nth[A](%list: List[A], %n: nat) -> A {"
	 "  match (%n) {"
	 "    zero => @hd(%list), succ(%m) => @nat_nth(@tl(%list), %m),"
	 "  }"
	 "}"},
	/* TVM's loses what is before the place. */
	{"nat_update",
	 "def @nat_update[A](%list: List[A], %n: nat, %x: A) -> List[A] {"
	 "  match (%n) {"
	 "    zero => Cons(%x, @tl(%list)),"
	 "    succ(%m) => Cons(@hd(%list), @nat_update(@tl(%list), %m, %x)),"
	 "  }"
	 "}"},
	{"nat_iterate",
	 "def @nat_iterate[A](%f: fn (A) -> A, %n: nat) -> fn (A) -> A {"
	 "  match (%n) {"
	 "    zero => @id,"
	 "    succ(%m) => @compose(%f, @nat_iterate(%f, %m)),"
	 "  }"
	 "}"},
};

enum { NFUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/*
 * The standard texts hold no errors; a test reads them all. One may fail only
 * because the text defines some of the names in its own way.
 */
static void
add(struct parse_ctx *cx, const char *text)
{
	if (!parse_standard_text(cx, text))
		diag_error(cx->d, LOC_NONE,
			   "the text defines a standard name in another way");
}

static void
add_type(struct parse_ctx *cx, const struct std_type *t)
{
	if (ir_module_find_type(cx->m, ir_name(cx->cx, t->name)))
		return;
	add(cx, t->text);
}

/* NAME and a blank occur in LIST as a whole. */
static bool
lists(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *at = list;

	while ((at = strstr(at, name)) != NULL) {
		if ((at == list || at[-1] == ' ') && at[len] == ' ')
			return true;
		at++;
	}
	return false;
}

/* A definition may start at AT: what stands before it is no comment. */
static bool
may_start(const struct source *s, const char *at)
{
	while (at > s->text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at == s->text || strchr("\n}];", at[-1]) != NULL;
}

/* The text defines a type NAME somewhere. */
static bool
defines_type(const struct parse_ctx *cx, const char *name)
{
	const struct source *s = cx->src;
	const char *at = s->text, *end = s->text + s->len;
	size_t len = strlen(name);

	while ((at = memmem(at, (size_t)(end - at), "type", 4)) != NULL) {
		bool starts = may_start(s, at);

		at += 4;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (starts && (size_t)(end - at) > len &&
		    memcmp(at, name, len) == 0 && strchr(" \t\r\n[{", at[len]))
			return true;
	}
	return false;
}

const struct ir_ctor *
prelude_ctor(struct parse_ctx *cx, const char *name)
{
	for (unsigned i = 0; i < NTYPES && !cx->o.no_prelude; i++) {
		if (!lists(types[i].ctors, name))
			continue;
		if (defines_type(cx, types[i].name))
			return NULL;
		add_type(cx, &types[i]);
		return ir_module_find_ctor(cx->m, name);
	}
	return NULL;
}

void
prelude_note_type(struct parse_ctx *cx, const char *name)
{
	for (unsigned i = 0; i < NTYPES; i++) {
		if (strcmp(types[i].name, name) == 0)
			cx->std_types |= 1u << i;
	}
}

/* Add the standard function NAME; false if there is none. */
static bool
add_function(struct parse_ctx *cx, const char *name)
{
	for (unsigned i = 0; i < NFUNCTIONS; i++) {
		if (strcmp(functions[i].name, name) == 0) {
			add(cx, functions[i].text);
			return true;
		}
	}
	return false;
}

void
prelude_complete(struct parse_ctx *cx)
{
	if (cx->o.no_prelude || cx->d->stopped)
		return;
	for (size_t i = 0; i < cx->m->globals.len; i++) {
		const struct ir_global *g = cx->m->globals.at[i];

		if (!g->def)
			add_function(cx, g->name);
	}
	for (unsigned i = 0; i < NTYPES; i++) {
		if (cx->std_types & 1u << i)
			add_type(cx, &types[i]);
	}
}
