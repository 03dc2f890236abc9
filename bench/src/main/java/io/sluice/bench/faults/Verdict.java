package io.sluice.bench.faults;

/** Whether the simulator shows what the engine does. */
enum Verdict {
  SAME(""),
  /** It shows what the engine never did. */
  DIFFERENT("DIFFERENT"),
  /** It shows the same, much sooner or later. */
  OTHER_TIME("OTHER TIME");

  private final String shown;

  Verdict(String shown) {
    this.shown = shown;
  }

  String shown() {
    return shown;
  }

  static Verdict of(Aspect aspect, Sightings real, Sightings simulated) {
    if (!real.kinds(aspect).containsAll(simulated.kinds(aspect))) {
      return DIFFERENT;
    }
    return aspect.isTimed() && !simulated.atOtherTimes(aspect, real).isEmpty() ? OTHER_TIME : SAME;
  }
}
