package io.sluice.bench.faults;

/** What is looked at while something happens to an engine. */
enum Aspect {
  STREAMS("streams under way"),
  WHOLE("a whole answer under way"),
  SOON("a request 0.3 s later"),
  HEALTH_SOON("/health 0.5 s later"),
  LATER("a request 6 s later"),
  HEALTH_LATER("/health 6 s later"),
  PROCESS("its process 8 s later");

  private final String label;

  Aspect(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
