/* In place of the header of the runtime library. */
#include "bang_emu.h"
