/*
 * A model ready to run: its descriptor, its memory, what is bound to it.
 *
 * One aligned block holds the arena, one buffer per input that is set by
 * copy, and one per output; constants come with the code, from the caller or
 * from a mapped file.
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

	if (m->desc->abi_version != RELAY_ABI_VERSION)
		return RELAY_E_VERSION;
	if ((opt->flags & RELAY_CHECK_CPU) && !cpu_suits(m->desc->cpu_features))
		return RELAY_E_CPU;
	s = allocate(m);
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

relay_status
relay_model_set_input(relay_model *m, int32_t i, const void *data,
		      size_t nbytes)
{
	if (!is_input(m, i))
		return RELAY_E_ARG;
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
	if (!is_output(m, i) || !data)
		return RELAY_E_ARG;
	return bind(m, m->desc->num_inputs + i, data);
}

relay_status
relay_model_run(relay_model *m)
{
	for (int32_t i = 0; i < m->desc->num_inputs; i++)
		if (!m->io[i])
			return RELAY_E_UNBOUND;
	return (relay_status)m->desc->run(m->constants, m->arena, m->io,
					  m->threads);
}

const void *
relay_model_output_ptr(const relay_model *m, int32_t i)
{
	return is_output(m, i) ? m->io[m->desc->num_inputs + i] : NULL;
}

relay_status
relay_model_get_output(const relay_model *m, int32_t i, void *data,
		       size_t nbytes)
{
	if (!is_output(m, i))
		return RELAY_E_ARG;
	if (nbytes != m->desc->outputs[i].nbytes)
		return RELAY_E_SHAPE;
	if (nbytes)
		memcpy(data, relay_model_output_ptr(m, i), nbytes);
	return RELAY_OK;
}
