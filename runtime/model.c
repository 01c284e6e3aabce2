/*
 * A model ready to run: its descriptor, its memory, what is bound to it.
 *
 * One aligned block holds the arena, one buffer per input that is set by
 * copy, and one per output; constants come with the code, from the caller or
 * from a mapped file.
 *
 * Where shapes are known at run time only, the block is the arena alone; the
 * code keeps its results in blocks of its own, inputs set by copy are
 * allocated when they are set.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/relay_rt.h"

enum { ALIGN = 64 };

struct relay_model {
	const relay_model_desc *desc;
	bool sized;     /* shapes are known at run time only: see below */
	char *record;   /* then what run() gets: pointers and dimensions */
	size_t *fields; /* where the pointer of each tensor lies in it */
	relay_threads *threads;
	bool own_threads;
	void *library; /* dlopen */
	const void *constants;
	void *map; /* of the constants' file */
	size_t map_len;
	char *memory;
	void *arena;
	void **io;  /* what run() gets */
	char **own; /* our buffer for each of IO */
};

static size_t
round_up(size_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

static const relay_tensor_info *
info_of(const relay_model_desc *d, int32_t slot)
{
	return slot < d->num_inputs ? &d->inputs[slot]
				    : &d->outputs[slot - d->num_inputs];
}

static relay_status
allocate(struct relay_model *m)
{
	const relay_model_desc *d = m->desc;
	int32_t n = d->num_inputs + d->num_outputs;
	size_t align = d->arena_align > ALIGN ? d->arena_align : ALIGN;
	size_t size = round_up(d->arena_bytes, ALIGN);
	char *at;

	for (int32_t i = 0; i < n; i++)
		size += round_up(info_of(d, i)->nbytes, ALIGN);
	m->io = calloc((size_t)n + 1, sizeof(*m->io));
	m->own = calloc((size_t)n + 1, sizeof(*m->own));
	m->memory = aligned_alloc(align, round_up(size + 1, align));
	if (!m->io || !m->own || !m->memory)
		return RELAY_E_NOMEM;
	m->arena = m->memory;
	at = m->memory + round_up(d->arena_bytes, ALIGN);
	for (int32_t i = 0; i < n; i++) {
		m->own[i] = at;
		if (i >= d->num_inputs)
			m->io[i] = at;
		at += round_up(info_of(d, i)->nbytes, ALIGN);
	}
	return RELAY_OK;
}

static int64_t *
dims_of(const struct relay_model *m, int32_t slot)
{
	size_t at = m->fields[slot] + sizeof(void *);
	size_t align = _Alignof(int64_t);

	return (int64_t *)(void *)(m->record +
				   (at + align - 1) / align * align);
}

static void **
pointer_of(const struct relay_model *m, int32_t slot)
{
	return (void **)(void *)(m->record + m->fields[slot]);
}

/* The record is laid out as a C compiler would. */
static relay_status
allocate_sized(struct relay_model *m)
{
	const relay_model_desc *d = m->desc;
	int32_t n = d->num_inputs + d->num_outputs;
	size_t align = d->arena_align > ALIGN ? d->arena_align : ALIGN;
	size_t size = round_up(d->arena_bytes + 1, align), at = 0;

	m->own = calloc((size_t)n + 1, sizeof(*m->own));
	m->fields = calloc((size_t)n + 1, sizeof(*m->fields));
	m->memory = aligned_alloc(align, size);
	if (!m->own || !m->fields || !m->memory)
		return RELAY_E_NOMEM;
	memset(m->memory, 0, size);
	m->arena = m->memory;
	for (int32_t i = 0; i < n; i++) {
		size_t rank = (size_t)info_of(d, i)->rank;

		m->fields[i] = at = round_up(at, _Alignof(void *));
		at += sizeof(void *);
		if (rank)
			at = round_up(at, _Alignof(int64_t)) +
			     rank * sizeof(int64_t);
	}
	m->record = calloc(1, at + ALIGN);
	if (!m->record)
		return RELAY_E_NOMEM;
	for (int32_t i = 0; i < d->num_inputs; i++)
		if (info_of(d, i)->rank)
			memcpy(dims_of(m, i), info_of(d, i)->shape,
			       (size_t)info_of(d, i)->rank * sizeof(int64_t));
	return RELAY_OK;
}

/* Bytes of a tensor by the shape that it has now; -1: none it can have. */
static int64_t
bytes_now(const struct relay_model *m, int32_t slot)
{
	const relay_tensor_info *info = info_of(m->desc, slot);
	int64_t n = (info->dtype_bits + 7) / 8;

	for (int32_t d = 0; d < info->rank; d++)
		if (dims_of(m, slot)[d] == 0)
			n = 0;
	for (int32_t d = 0; d < info->rank; d++)
		if (dims_of(m, slot)[d] < 0 ||
		    __builtin_mul_overflow(n, dims_of(m, slot)[d], &n))
			return -1;
	return n;
}

static relay_status
map_constants(struct relay_model *m, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return RELAY_E_IO;
	if (fstat(fd, &st) || (size_t)st.st_size < m->desc->constants_bytes) {
		close(fd);
		return RELAY_E_IO;
	}
	m->map_len = (size_t)st.st_size;
	m->map = mmap(NULL, m->map_len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (m->map == MAP_FAILED) {
		m->map = NULL;
		return RELAY_E_IO;
	}
	m->constants = m->map;
	return RELAY_OK;
}

static relay_status
find_constants(struct relay_model *m, const relay_options *opt)
{
	const relay_model_desc *d = m->desc;

	m->constants = d->constants;
	if (!d->constants_bytes || (m->constants && !opt->constants))
		return RELAY_OK;
	if (opt->constants) {
		m->constants = opt->constants;
		return opt->constants_bytes >= d->constants_bytes
			       ? RELAY_OK
			       : RELAY_E_SHAPE;
	}
	return opt->constants_file ? map_constants(m, opt->constants_file)
				   : RELAY_E_UNBOUND;
}

#if defined(__x86_64__) && defined(__GNUC__)
static bool
cpu_has(const char *name, size_t len)
{
	static const struct {
		const char *name;
		int bit;
	} known[] = {{"sse4.2", 0}, {"avx", 1},      {"avx2", 2},
		     {"fma", 3},    {"f16c", 4},     {"avx512f", 5},
		     {"bmi2", 6},   {"avx512vl", 7}, {"avx512bw", 8}};
	int bit = -1;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == len &&
		    !memcmp(known[i].name, name, len))
			bit = known[i].bit;
	__builtin_cpu_init();
	switch (bit) {
	case 0:
		return __builtin_cpu_supports("sse4.2");
	case 1:
		return __builtin_cpu_supports("avx");
	case 2:
		return __builtin_cpu_supports("avx2");
	case 3:
		return __builtin_cpu_supports("fma");
	case 4:
		return __builtin_cpu_supports("f16c");
	case 5:
		return __builtin_cpu_supports("avx512f");
	case 6:
		return __builtin_cpu_supports("bmi2");
	case 7:
		return __builtin_cpu_supports("avx512vl");
	case 8:
		return __builtin_cpu_supports("avx512bw");
	}
	return true;
}
#else
static bool
cpu_has(const char *name, size_t len)
{
	(void)name;
	(void)len;
	return true;
}
#endif

static bool
cpu_suits(const char *features)
{
	while (features && *features) {
		size_t len = strcspn(features, ",");

		if (!cpu_has(features, len))
			return false;
		features += len;
		features += *features == ',';
	}
	return true;
}

static relay_status
set_up(struct relay_model *m, const relay_options *opt)
{
	relay_status s;

	m->sized = m->desc->abi_version == RELAY_ABI_SIZED;
	if (m->desc->abi_version != RELAY_ABI_VERSION && !m->sized)
		return RELAY_E_VERSION;
	if ((opt->flags & RELAY_CHECK_CPU) && !cpu_suits(m->desc->cpu_features))
		return RELAY_E_CPU;
	s = m->sized ? allocate_sized(m) : allocate(m);
	if (s != RELAY_OK)
		return s;
	s = find_constants(m, opt);
	if (s != RELAY_OK)
		return s;
	m->threads = opt->threads;
	if (!m->threads && opt->num_threads != 1) {
		m->threads = relay_threads_new(opt->num_threads);
		m->own_threads = true;
		if (!m->threads)
			return RELAY_E_NOMEM;
	}
	return RELAY_OK;
}

relay_status
relay_model_create(relay_model **out, const relay_model_desc *desc,
		   const relay_options *opt)
{
	relay_options o = {0};
	relay_status s;

	if (!out)
		return RELAY_E_ARG;
	*out = NULL;
	if (!desc || (opt && opt->struct_size > sizeof(o)))
		return RELAY_E_ARG;
	if (opt)
		memcpy(&o, opt, opt->struct_size);
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return RELAY_E_NOMEM;
	(*out)->desc = desc;
	s = set_up(*out, &o);
	if (s != RELAY_OK) {
		relay_model_destroy(*out);
		*out = NULL;
	}
	return s;
}

relay_status
relay_model_load(relay_model **out, const char *path, const relay_options *opt)
{
	void *lib;
	const relay_model_desc *const *desc;
	relay_status s;

	if (!out)
		return RELAY_E_ARG;
	*out = NULL;
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return RELAY_E_IO;
	desc = dlsym(lib, "relay_model_entry");
	s = desc ? relay_model_create(out, *desc, opt) : RELAY_E_IO;
	if (s == RELAY_OK)
		(*out)->library = lib;
	else
		dlclose(lib);
	return s;
}

void
relay_model_destroy(relay_model *m)
{
	void *lib;

	if (!m)
		return;
	lib = m->library;
	if (m->own_threads)
		relay_threads_free(m->threads);
	if (m->map)
		munmap(m->map, m->map_len);
	if (m->sized && m->arena)
		relay_dyn_free(m->arena, m->desc->num_slots);
	for (int32_t i = 0; m->sized && m->own && i < m->desc->num_inputs; i++)
		free(m->own[i]);
	free(m->record);
	free(m->fields);
	free(m->memory);
	free(m->io);
	free(m->own);
	free(m);
	if (lib)
		dlclose(lib);
}

int32_t
relay_model_num_inputs(const relay_model *m)
{
	return m->desc->num_inputs;
}

int32_t
relay_model_num_outputs(const relay_model *m)
{
	return m->desc->num_outputs;
}

static bool
is_input(const relay_model *m, int32_t i)
{
	return i >= 0 && i < m->desc->num_inputs;
}

static bool
is_output(const relay_model *m, int32_t i)
{
	return i >= 0 && i < m->desc->num_outputs;
}

relay_status
relay_model_input_info(const relay_model *m, int32_t i, relay_tensor_info *info)
{
	if (!is_input(m, i))
		return RELAY_E_ARG;
	*info = m->desc->inputs[i];
	return RELAY_OK;
}

relay_status
relay_model_output_info(const relay_model *m, int32_t i,
			relay_tensor_info *info)
{
	if (!is_output(m, i))
		return RELAY_E_ARG;
	*info = m->desc->outputs[i];
	return RELAY_OK;
}

int32_t
relay_model_input_index(const relay_model *m, const char *name)
{
	for (int32_t i = 0; i < m->desc->num_inputs; i++)
		if (!strcmp(m->desc->inputs[i].name, name))
			return i;
	return -1;
}

int32_t
relay_model_is_sized(const relay_model *m)
{
	return m->sized;
}

relay_status
relay_model_set_shape(relay_model *m, int32_t i, const int64_t *shape)
{
	const relay_tensor_info *info;

	if (!is_input(m, i) || (!shape && m->desc->inputs[i].rank))
		return RELAY_E_ARG;
	info = &m->desc->inputs[i];
	for (int32_t d = 0; d < info->rank; d++)
		if (shape[d] < 0 ||
		    (info->shape[d] >= 0 && shape[d] != info->shape[d]))
			return RELAY_E_SHAPE;
	if (m->sized && info->rank)
		memcpy(dims_of(m, i), shape,
		       (size_t)info->rank * sizeof(*shape));
	return RELAY_OK;
}

relay_status
relay_model_output_shape(const relay_model *m, int32_t i, int64_t *shape)
{
	const relay_tensor_info *info;

	if (!is_output(m, i))
		return RELAY_E_ARG;
	info = &m->desc->outputs[i];
	if (info->rank)
		memcpy(shape,
		       m->sized ? dims_of(m, m->desc->num_inputs + i)
				: info->shape,
		       (size_t)info->rank * sizeof(*shape));
	return RELAY_OK;
}

/* A copy of the data of an input, whose shape has been set. */
static relay_status
set_sized(relay_model *m, int32_t i, const void *data, size_t nbytes)
{
	char *copy;

	if (bytes_now(m, i) < 0 || (size_t)bytes_now(m, i) != nbytes)
		return RELAY_E_SHAPE;
	copy = aligned_alloc(ALIGN, round_up(nbytes + 1, ALIGN));
	if (!copy)
		return RELAY_E_NOMEM;
	if (nbytes)
		memcpy(copy, data, nbytes);
	free(m->own[i]);
	m->own[i] = copy;
	*pointer_of(m, i) = copy;
	return RELAY_OK;
}

relay_status
relay_model_set_input(relay_model *m, int32_t i, const void *data,
		      size_t nbytes)
{
	if (!is_input(m, i))
		return RELAY_E_ARG;
	if (m->sized)
		return set_sized(m, i, data, nbytes);
	if (nbytes != m->desc->inputs[i].nbytes)
		return RELAY_E_SHAPE;
	if (nbytes)
		memcpy(m->own[i], data, nbytes);
	m->io[i] = m->own[i];
	return RELAY_OK;
}

static relay_status
bind(relay_model *m, int32_t slot, void *data)
{
	const relay_tensor_info *info = info_of(m->desc, slot);

	if (info->alignment && (uintptr_t)data % info->alignment)
		return RELAY_E_ALIGN;
	if (m->sized)
		*pointer_of(m, slot) = data;
	else
		m->io[slot] = data;
	return RELAY_OK;
}

relay_status
relay_model_bind_input(relay_model *m, int32_t i, const void *data)
{
	if (!is_input(m, i) || !data)
		return RELAY_E_ARG;
	return bind(m, i, (void *)(uintptr_t)data);
}

relay_status
relay_model_bind_output(relay_model *m, int32_t i, void *data)
{
	if (!is_output(m, i) || !data || m->sized)
		return RELAY_E_ARG;
	return bind(m, m->desc->num_inputs + i, data);
}

relay_status
relay_model_run(relay_model *m)
{
	for (int32_t i = 0; i < m->desc->num_inputs; i++)
		if (m->sized ? !*pointer_of(m, i) || bytes_now(m, i) < 0
			     : !m->io[i])
			return RELAY_E_UNBOUND;
	return (relay_status)m->desc->run(
		m->constants, m->arena,
		m->sized ? (void *)m->record : (void *)m->io, m->threads);
}

const char *
relay_model_error(const relay_model *m)
{
	return m->sized ? relay_dyn_error(m->arena) : NULL;
}

const void *
relay_model_output_ptr(const relay_model *m, int32_t i)
{
	if (!is_output(m, i))
		return NULL;
	i += m->desc->num_inputs;
	return m->sized ? *pointer_of(m, i) : m->io[i];
}

relay_status
relay_model_get_output(const relay_model *m, int32_t i, void *data,
		       size_t nbytes)
{
	if (!is_output(m, i))
		return RELAY_E_ARG;
	if (m->sized ? bytes_now(m, m->desc->num_inputs + i) != (int64_t)nbytes
		     : nbytes != m->desc->outputs[i].nbytes)
		return RELAY_E_SHAPE;
	if (nbytes)
		memcpy(data, relay_model_output_ptr(m, i), nbytes);
	return RELAY_OK;
}
