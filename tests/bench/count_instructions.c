// A plugin of qemu-user (interface 1) that counts what the emulated program executes, and prints it at its end:
//   qemu-aarch64 -plugin count_instructions.so PROGRAM...
// What is declared here is the part of the interface that it uses; Debian packages no header of it for programs.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t PluginId;
struct qemu_plugin_tb;
enum { kAddU64 = 0 };

typedef void (*AtTranslation)(PluginId id, struct qemu_plugin_tb* block);
typedef void (*AtExit)(PluginId id, void* data);
void qemu_plugin_register_vcpu_tb_trans_cb(PluginId id, AtTranslation call);
void qemu_plugin_register_atexit_cb(PluginId id, AtExit call, void* data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, int what, void* to, uint64_t by);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t executed;

static void Translated(PluginId id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, kAddU64, &executed, qemu_plugin_tb_n_insns(block));
}

static void Ended(PluginId id, void* data) {
  (void)id;
  (void)data;
  fprintf(stderr, "executed instructions: %" PRIu64 "\n", executed);
}

__attribute__((visibility("default"))) int qemu_plugin_install(PluginId id, const void* info, int argc, char** argv) {
  (void)info;
  (void)argc;
  (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, Translated);
  qemu_plugin_register_atexit_cb(id, Ended, NULL);
  return 0;
}
