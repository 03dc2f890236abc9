package io.sluice.simulator.command;

import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Provides the value of an option that is not given from {@code SLUICE_SIMULATOR_<OPTION>}. */
final class EnvironmentDefaults implements IDefaultValueProvider {

  private static final String PREFIX = "SLUICE_SIMULATOR_";

  private final UnaryOperator<@Nullable String> environment;

  EnvironmentDefaults() {
    this(System::getenv);
  }

  EnvironmentDefaults(UnaryOperator<@Nullable String> environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? environment.apply(variable(option.longestName()))
        : null;
  }

  /**
   * Returns the variable of an option: {@code --max-num-seqs} has SLUICE_SIMULATOR_MAX_NUM_SEQS.
   */
  static String variable(String option) {
    return PREFIX + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
