/*
 * Runs a network that relay-llc compiled, through the header it wrote:
 *
 *     relay-llc net.relay --interface-name=net --emit=obj -o net.o \
 *             --emit-header=net.h
 *     cc -DMODEL_HEADER='"net.h"' -DMODEL=net_model demo.c net.o -lrelayrt
 *
 * Inputs and weights get the values of relay-run --fill=hash, so that both
 * compute the same. The first output goes to the file named on the command
 * line, as .npy.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <relay_rt.h>
#include MODEL_HEADER

static uint32_t
crc32(const char *s)
{
	uint32_t crc = ~0u;

	for (; *s; s++) {
		crc ^= (unsigned char)*s;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* Element I of the tensor with this CRC of its name: in [-0.5, 0.5). */
static double
noise(uint32_t i, uint32_t crc)
{
	uint32_t h = i * 2654435761u + crc;

	h ^= h >> 16;
	h *= 2246822519u;
	h ^= h >> 13;
	return (h >> 8) / 16777216.0 - 0.5;
}

static int
ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcasecmp(name + n - m, end) == 0;
}

/* What to multiply the noise by, and what to add. */
static double
scale_of(const relay_tensor_info *info, double *offset)
{
	double fan_in = 1;

	*offset = ends_in(info->name, "var") || ends_in(info->name, "gamma");
	if (ends_in(info->name, "var"))
		return 0.5;
	if (ends_in(info->name, "gamma"))
		return 0.2;
	if (info->rank < 2 || strcmp(info->name, "data") == 0 ||
	    strcmp(info->name, "x") == 0)
		return 1;
	for (int32_t d = 1; d < info->rank; d++)
		fan_in *= (double)info->shape[d];
	return sqrt(12 / fan_in);
}

static relay_status
fill(relay_model *model, int32_t input)
{
	relay_tensor_info info;
	relay_status status = relay_model_input_info(model, input, &info);
	uint32_t crc;
	double scale, offset;
	size_t n;
	float *data;

	if (status != RELAY_OK)
		return status;
	if (info.dtype_code != 2 || info.dtype_bits != 32)
		return RELAY_E_DTYPE;
	data = malloc(info.nbytes);
	if (!data)
		return RELAY_E_NOMEM;
	crc = crc32(info.name);
	scale = scale_of(&info, &offset);
	n = info.nbytes / sizeof *data;
	for (size_t i = 0; i < n; i++)
		data[i] = (float)(noise((uint32_t)i, crc) * scale + offset);
	status = relay_model_set_input(model, input, data, info.nbytes);
	free(data);
	return status;
}

static int
write_npy(const char *path, const relay_tensor_info *info, const float *data)
{
	char shape[256] = "", head[512];
	FILE *f = fopen(path, "wb");
	int len;

	if (!f)
		return -1;
	for (int32_t d = 0; d < info->rank; d++)
		snprintf(shape + strlen(shape), sizeof shape - strlen(shape),
			 "%lld, ", (long long)info->shape[d]);
	len = snprintf(head, sizeof head,
		       "{'descr': '<f4', 'fortran_order': False, "
		       "'shape': (%s), }",
		       shape);
	while ((10 + len + 1) % 64 != 0)
		head[len++] = ' ';
	head[len++] = '\n';
	fwrite("\x93NUMPY\x01", 1, 7, f);
	fputc(0, f);
	fputc(len & 255, f);
	fputc(len >> 8, f);
	fwrite(head, 1, (size_t)len, f);
	fwrite(data, 1, info->nbytes, f);
	return fclose(f);
}

/* Run MODEL three times and return the seconds of the fastest. */
static double
run(relay_model *model, relay_status *status)
{
	double best = 1e9;

	for (int i = 0; i < 3; i++) {
		struct timespec t0, t1;
		double seconds;

		clock_gettime(CLOCK_MONOTONIC, &t0);
		*status = relay_model_run(model);
		clock_gettime(CLOCK_MONOTONIC, &t1);
		if (*status != RELAY_OK)
			break;
		seconds = (double)(t1.tv_sec - t0.tv_sec) +
			  (double)(t1.tv_nsec - t0.tv_nsec) * 1e-9;
		if (seconds < best)
			best = seconds;
	}
	return best;
}

static void
print_largest(const float *data, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (data[i] > data[best])
			best = i;
	printf("largest of %zu outputs: number %zu, %g\n", n, best, data[best]);
}

int
main(int argc, char **argv)
{
	relay_model *model;
	relay_tensor_info out;
	relay_status status = relay_model_create(&model, &MODEL, NULL);
	double seconds;

	if (status != RELAY_OK) {
		fprintf(stderr, "demo: %s\n", relay_status_string(status));
		return 1;
	}
	for (int32_t i = 0; i < relay_model_num_inputs(model); i++)
		if (status == RELAY_OK)
			status = fill(model, i);
	seconds = status == RELAY_OK ? run(model, &status) : 0;
	if (status == RELAY_OK)
		status = relay_model_output_info(model, 0, &out);
	if (status == RELAY_OK) {
		const float *data = relay_model_output_ptr(model, 0);

		printf("%d inputs, one run: %.1f ms\n",
		       (int)relay_model_num_inputs(model), seconds * 1e3);
		print_largest(data, out.nbytes / sizeof *data);
		if (argc > 1 && write_npy(argv[1], &out, data) != 0)
			status = RELAY_E_IO;
	}
	relay_model_destroy(model);
	if (status != RELAY_OK)
		fprintf(stderr, "demo: %s\n", relay_status_string(status));
	return status != RELAY_OK;
}
