package io.sluice.bench.fleet.run;

import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The engines on which a trace runs. */
public final class TraceEngine {
  private static final int MAX_NUM_SEQS = 256;
  private static final int SHORT_CONTEXT = 16_384;
  private static final int LONG_CONTEXT = 131_072;

  /** The profile that has room for the prompts of any trace. */
  public static final String LARGE = "h100";

  private TraceEngine() {}

  /**
   * Returns an engine whose context all requests of a trace fit.
   *
   * @param profile the profile to take
   * @param small the profile that a trace gets without that, if a context of 16k is enough for it
   * @throws IllegalArgumentException if there is no such profile, or a request does not fit
   */
  static EngineConfig of(Trace trace, Optional<String> profile, String small) {
    boolean isShort = trace.longestContextTokens() <= SHORT_CONTEXT;
    EngineConfig engine =
        of(profile.orElse(isShort ? small : LARGE), isShort ? SHORT_CONTEXT : LONG_CONTEXT);
    if (trace.longestContextTokens() > engine.maxModelLen()) {
      throw new IllegalArgumentException(
          "the trace %s has a request of %d tokens, more than the context of %d"
              .formatted(trace.name(), trace.longestContextTokens(), engine.maxModelLen()));
    }
    return engine;
  }

  /** Returns the same for a command, of which a wrong profile or trace is wrong usage. */
  public static EngineConfig of(
      Trace trace, Optional<String> profile, String small, CommandLine command) {
    try {
      return of(trace, profile, small);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Returns the kinds of engines of a mixed fleet.
   *
   * @param profiles of the kinds; with none, all engines have the profile that the trace gets
   */
  public static List<EngineConfig> of(
      Trace trace, List<String> profiles, String small, CommandLine command) {
    return profiles.isEmpty()
        ? List.of(of(trace, Optional.empty(), small, command))
        : profiles.stream()
            .map(profile -> of(trace, Optional.of(profile), small, command))
            .toList();
  }

  private static EngineConfig of(String profile, int context) {
    GpuProfile gpu = GpuProfile.named(profile);
    return EngineConfig.of(Timing.of(gpu), context)
        .withScheduling(Scheduling.of(MAX_NUM_SEQS, gpu.maxNumBatchedTokens()));
  }

  /**
   * Returns an engine with a context of 16k, for a command, of which a wrong profile is wrong
   * usage.
   */
  public static EngineConfig named(String profile, CommandLine command) {
    try {
      return of(profile, SHORT_CONTEXT);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, String.valueOf(e.getMessage()), e);
    }
  }
}
