/*
 * What stands beside a network's kernels so that somebody can build and run
 * it: a main program over files of raw tensors, and a Makefile for a device
 * and for the emulated machine.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"

static void
put_table(struct buf *out, const char *name, const struct interface_slot *slots,
	  uint32_t n)
{
	buf_printf(out, "static const struct tensor %s[] = {\n", name);
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, "    {\"%s\", %" PRId64 "},\n", slots[i].name,
			   slots[i].nbytes);
	buf_puts(out, "    {nullptr, 0}};\n");
}

void
bangc_project_main(struct buf *out, const struct interface *net,
		   const struct bangc_options *o)
{
	buf_printf(
		out,
		"// Runs the network %s: main DIR reads the raw bytes of its "
		"inputs from\n"
		"// DIR/NAME.bin and writes its outputs there.\n",
		o->name);
	buf_puts(out, "#include <cstdio>\n"
		      "#include <string>\n"
		      "#include <vector>\n\n");
	buf_printf(out,
		   "extern \"C\" int %s_run(const void *const *inputs, void "
		   "*const *outputs,\n"
		   "                     const void *constants);\n\n"
		   "struct tensor {\n"
		   "  const char *name;\n"
		   "  size_t bytes;\n"
		   "};\n",
		   o->name);
	put_table(out, "inputs", net->slots, net->ninputs);
	put_table(out, "outputs", net->slots + net->ninputs, net->noutputs);
	buf_printf(out,
		   "static const char constants_file[] = \"%s.constants\";\n"
		   "static const size_t constants_bytes = %" PRId64 ";\n\n",
		   o->name, net->constants_bytes);
	buf_puts(out, bang_device_main);
	buf_printf(
		out,
		"  if (%s_run(in.data(), out.data(), constants.data()) != 0) "
		"return 1;\n"
		"  for (size_t i = 0; i < results.size(); i++)\n"
		"    if (!transfer(folder + outputs[i].name + \".bin\", "
		"results[i], \"wb\"))\n"
		"      return 1;\n"
		"  return 0;\n"
		"}\n",
		o->name);
}

void
bangc_project_makefile(struct buf *out, const struct bangc_options *o)
{
	const char *arch = !strcmp(o->arch, "mlu370")   ? "mtp_372"
			   : !strcmp(o->arch, "mlu590") ? "mtp_592"
			   : !strcmp(o->arch, "mlu290") ? "mtp_290"
							: "mtp_270";

	buf_printf(out,
		   "# make: for a device, with Cambricon's toolkit in "
		   "$(NEUWARE_HOME) (not tried).\n"
		   "# make emulated BANG=DIR: for this machine, with the "
		   "headers of runtime/bang.\n"
		   "NAME = %s\n"
		   "ARCH = %s\n"
		   "BANG ?= /usr/local/share/relay/bang\n\n",
		   o->name, arch);
	if (o->uses_runtime && *o->uses_runtime)
		buf_puts(out, "# What the host does of the network calls "
			      "routines of Relay's runtime.\n"
			      "RELAY_LIB ?= /usr/local/lib\n"
			      "LIBS ?= $(RELAY_LIB)/librelayrt.a -lpthread "
			      "-lm\n\n");
	buf_puts(out, "$(NAME): $(NAME).mlu main.cpp\n"
		      "\tcncc -std=c++11 --bang-mlu-arch=$(ARCH) "
		      "-I$(NEUWARE_HOME)/include \\\n"
		      "\t  $(NAME).mlu main.cpp -o $@ $(EXTRA) $(LIBS) "
		      "-L$(NEUWARE_HOME)/lib64 -lcnrt -lstdc++ -lm\n\n"
		      "emulated: $(NAME).mlu main.cpp\n"
		      "\t$(CXX) -std=c++17 -O2 -w -I$(BANG) "
		      "-DBANG_EMU_ARCH=$(ARCH:mtp_%=%) \\\n"
		      "\t  -x c++ $(NAME).mlu main.cpp -x none -o $@ "
		      "$(EXTRA) $(LIBS)\n\n"
		      ".PHONY: clean\n"
		      "clean:\n"
		      "\trm -f $(NAME) emulated\n");
}
