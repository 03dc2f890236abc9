package io.sluice.bench.faults;

/** What is observed while a fault is injected into an engine. */
enum Aspect {
  STREAMS("streams under way", true),
  WHOLE("a whole answer under way", true),
  SOON("a request 0.3 s later", true),
  HEALTH_SOON("/health 0.5 s later", true),
  LATER("a request 6 s later", true),
  HEALTH_LATER("/health 6 s later", true),
  PORT("its port", true),
  PROCESS("its process 8 s later", false),
  /** How long answers to many requests take is a matter of the engine's speed. */
  ANSWERS("answers to all requests", false),
  PREEMPTIONS("preemptions meanwhile", false),
  SLOW_READER("a stream not read for 5 s", false),
  NEIGHBOURS("streams next to it", false),
  HEALTH("/health meanwhile", false);

  private final String label;
  private final boolean isTimed;

  Aspect(String label, boolean isTimed) {
    this.label = label;
    this.isTimed = isTimed;
  }

  String label() {
    return label;
  }

  /** Returns whether the simulator has to show it as soon as the engine does. */
  boolean isTimed() {
    return isTimed;
  }
}
