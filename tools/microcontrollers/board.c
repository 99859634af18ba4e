/* Counts the instructions of model_step, call by call, on a Cortex-M under qemu: with -icount
 * shift=10 an instruction takes 1024 ns of virtual time, and the board's timer, which runs at 25
 * MHz, 25.6 ticks. Prints "steps fewest most digest" by semihosting, the digest of the last
 * outputs; a step that fails ends it. No variable has a start value: nothing is copied from code to
 * RAM.
 */
#include "digest.h"

extern uint32_t stack_top;
void reset(void);
void fault(void);

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void)) & stack_top, reset, fault, fault, fault, fault, fault};

static volatile uint32_t* const kTimer = (volatile uint32_t*)0x40000000u; /* CMSDK: counts down */

static int call_host(int what, const void* about) {
  register int r0 __asm__("r0") = what;
  register const void* r1 __asm__("r1") = about;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static void print_number(uint32_t value) {
  char text[12];
  int at = 11;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  call_host(4, text + at); /* SYS_WRITE0 */
  call_host(4, " ");
}

static void leave(void) {
  static const uint32_t kDone[2] = {0x20026u, 0}; /* ADP_Stopped_ApplicationExit */
  call_host(0x20, kDone);                         /* SYS_EXIT_EXTENDED */
  for (;;) {
  }
}

void fault(void) {
  call_host(4, "fault\n");
  leave();
}

static model_state state;
static model_parameters parameters;
static model_inputs inputs;
static model_prepared prepared;

__attribute__((noinline)) static int nothing(model_state* s, const model_inputs* i,
                                             const model_prepared* p) {
  __asm__ volatile("" : : "r"(s), "r"(i), "r"(p) : "memory");
  return 0;
}

/* Instructions from one reading of the timer to the next around a call. */
static uint32_t count(int (*call)(model_state*, const model_inputs*, const model_prepared*),
                      int* failed) {
  const uint32_t before = kTimer[1];
  *failed = call(&state, &inputs, &prepared);
  return ((before - kTimer[1]) * 10u + 128u) / 256u;
}

int main(void) {
  uint32_t empty, fewest = 0xffffffffu, most = 0, k;
  int failed = 0;
  kTimer[2] = 0xffffffffu; /* reload, value, on */
  kTimer[1] = 0xffffffffu;
  kTimer[0] = 1;
  model_init(&state, &parameters, &prepared);
  empty = count(nothing, &failed) - 1; /* its return is an instruction that a step has too */
  for (k = 0; k < STEPS && !failed; ++k) {
    const uint32_t n = count(model_step, &failed) - empty;
    if (n < fewest) fewest = n;
    if (n > most) most = n;
  }
  if (failed) call_host(4, "failed ");
  print_number(k);
  print_number(fewest);
  print_number(most);
  print_number(digest_of(&state, &inputs, &prepared));
  call_host(4, "\n");
  leave();
  return 0;
}

void reset(void) {
  *(volatile uint32_t*)0xe000ed88u |= 0xf00000u; /* CPACR: the FPU may be used */
  __asm__ volatile("dsb\nisb");
  main();
}
