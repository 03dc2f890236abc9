package io.sluice.gateway.access;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What an API key may do; what is empty is not limited.
 *
 * @param requestsPerMinute requests that begin in a minute
 * @param tokensPerMinute tokens of prompts and answers in a minute
 * @param concurrent requests at the same time
 * @param models the models that it may use
 * @param tiers the tiers that it may use
 * @param maxPriority the highest priority that it may name
 */
public record KeyLimits(
    OptionalLong requestsPerMinute,
    OptionalLong tokensPerMinute,
    OptionalInt concurrent,
    List<String> models,
    List<String> tiers,
    Optional<Priority> maxPriority) {

  /** Everything is allowed. */
  public static final KeyLimits NONE =
      new KeyLimits(
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalInt.empty(),
          List.of(),
          List.of(),
          Optional.empty());

  /** Replaces what an older version did not store by no limit. */
  @JsonCreator
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public KeyLimits {
    requestsPerMinute = requestsPerMinute == null ? OptionalLong.empty() : requestsPerMinute;
    tokensPerMinute = tokensPerMinute == null ? OptionalLong.empty() : tokensPerMinute;
    concurrent = concurrent == null ? OptionalInt.empty() : concurrent;
    models = copy(models);
    tiers = copy(tiers);
    maxPriority = maxPriority == null ? Optional.empty() : maxPriority;
  }

  /** Returns the priority of a request that names none: the usual one, or the highest allowed. */
  public Priority defaultPriority() {
    return maxPriority
        .filter(highest -> Priority.INTERACTIVE.compareTo(highest) < 0)
        .orElse(Priority.INTERACTIVE);
  }

  /** Returns the tier of a request that names none; empty if the router may choose any. */
  public Optional<String> defaultTier() {
    return tiers.stream().findFirst();
  }

  /**
   * Returns the fallback model of a request that names none; empty for the pool's, which may be any
   * model.
   */
  public Optional<String> defaultFallback() {
    return models.isEmpty() ? Optional.empty() : Optional.of(RequestHeaders.NO_FALLBACK);
  }

  private static List<String> copy(@Nullable List<String> names) {
    return names == null ? List.of() : List.copyOf(names);
  }
}
