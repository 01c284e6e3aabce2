/* Runs the kernels of bang.relay and checks every element. */
#include <cstdio>

#include KERNELS

int taskId, taskDim;

enum { M = 30, N = 70 };
static float x[M * N], y[M * N], b[N], out[M * N];
static int8_t flags[M * N];
static int bad;

static void
expect(int i, float got, float want)
{
	if (fabsf(got - want) <= 1e-5f * (1 + fabsf(want)))
		return;
	if (bad++ < 5)
		printf("[%d]: %g, expected %g\n", i, got, want);
}

int
main()
{
	for (int i = 0; i < M * N; i++) {
		x[i] = (float)(i % 13) - 6;
		y[i] = (float)(i % 7) * 0.5f - 1;
		b[i % N] = (float)(i % N) / N;
	}
	fused_add_sigmoid_multiply_subtract_nn_relu_launch(0, 2, x, y, out);
	for (int i = 0; i < M * N; i++) {
		float s = x[i] + y[i], r = s / (1 + expf(-s)) - 0.5f;

		expect(i, out[i], r > 0 ? r : 0);
	}
	fused_transpose_launch(0, 1, x, out);
	for (int i = 0; i < M * N; i++)
		expect(i, out[i], x[i % M * N + i / M]);
	fused_add_tanh_launch(0, 3, x, b, out);
	for (int i = 0; i < M * N; i++)
		expect(i, out[i], tanhf(x[i] + b[i % N]));
	fused_greater_launch(0, 1, x, y, flags);
	for (int i = 0; i < M * N; i++)
		expect(i, flags[i], x[i] > y[i]);
	return bad != 0;
}
