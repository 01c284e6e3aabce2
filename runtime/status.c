/* Texts of the status codes. */
#include "include/relay_rt.h"

const char *
relay_status_string(relay_status status)
{
	switch (status) {
	case RELAY_OK:
		return "success";
	case RELAY_E_ARG:
		return "bad argument";
	case RELAY_E_SHAPE:
		return "size or shape does not match";
	case RELAY_E_DTYPE:
		return "element type does not match";
	case RELAY_E_ALIGN:
		return "pointer is not aligned";
	case RELAY_E_NOMEM:
		return "out of memory";
	case RELAY_E_CPU:
		return "this CPU lacks an instruction set the model needs";
	case RELAY_E_VERSION:
		return "model was compiled for another version";
	case RELAY_E_IO:
		return "file cannot be read or is not a model";
	case RELAY_E_BUSY:
		return "model is running";
	case RELAY_E_UNBOUND:
		return "an input was not set";
	case RELAY_E_ASSERT:
		return "a check of the model failed";
	case RELAY_E_INTERNAL:
		break;
	}
	return "internal error";
}

uint32_t
relay_abi_version(void)
{
	return RELAY_ABI_VERSION;
}
