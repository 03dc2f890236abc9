package io.sluice.config;

import java.util.List;

/** Settings that a service cannot start with: all that is wrong with them, at once. */
public final class InvalidSettingsException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final List<String> problems;

  InvalidSettingsException(List<String> problems) {
    super(String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  /** Each problem in a sentence of its own: which setting, its value, what is expected. */
  public List<String> problems() {
    return problems;
  }
}
