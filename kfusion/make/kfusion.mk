# Fuses when an input or a header has changed. Set before the include:
#   KFUSION_SOURCES   the files to fuse: app.c lib.c kernels.cl
#   KFUSION_FLAGS     options for kfusion: -Iinclude --target gpu
#   KFUSION_OUT       the folder for the outputs; fused without it
# Then KFUSION_C are the C files to compile, KFUSION_FILES all files that are written.

KFUSION ?= kfusion
KFUSION_OUT ?= fused
KFUSION_HEADERS := $(addprefix $(KFUSION_OUT)/,kfusion_fused.h kfusion_calls.h)
KFUSION_FILES := $(addprefix $(KFUSION_OUT)/,$(notdir $(KFUSION_SOURCES))) $(KFUSION_HEADERS)
KFUSION_C := $(filter %.c,$(KFUSION_FILES))
KFUSION_GOAL := $(.DEFAULT_GOAL)

# Outputs that would not change keep their times, so another file tells when kfusion has run.
$(KFUSION_OUT)/kfusion.stamp: $(KFUSION_SOURCES)
	$(KFUSION) $(KFUSION_SOURCES) $(KFUSION_FLAGS) -o $(KFUSION_OUT) -MD -MT $@
	@touch $@

$(KFUSION_FILES): $(KFUSION_OUT)/kfusion.stamp
	@test -f $@ || $(KFUSION) $(KFUSION_SOURCES) $(KFUSION_FLAGS) -o $(KFUSION_OUT) -MD -MT $<

$(KFUSION_C:.c=.o): $(KFUSION_HEADERS)

-include $(KFUSION_OUT)/kfusion.d
.DEFAULT_GOAL := $(KFUSION_GOAL)
