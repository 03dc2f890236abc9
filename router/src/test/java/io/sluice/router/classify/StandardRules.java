package io.sluice.router.classify;

/** The documented tiers and thresholds, for tests. */
public final class StandardRules {
  /** {@code fast}, {@code balanced} and {@code precise}. */
  public static final ClassifierRules RULES =
      ClassifierRules.parse("fast,balanced,precise", "150,300", "512,1024", 0.3);

  private StandardRules() {}
}
