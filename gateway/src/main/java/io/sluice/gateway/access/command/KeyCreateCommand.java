package io.sluice.gateway.access.command;

import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.ApiKey;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.access.KeyLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code keys create}: prints a new key, once. */
@Command(
    name = "create",
    sortOptions = false,
    description = "Create an API key and print it. It cannot be shown again.")
public final class KeyCreateCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--tenant",
      required = true,
      paramLabel = "NAME",
      description = "The tenant whose requests the key sends.")
  private String tenant = "";

  @Option(names = "--name", paramLabel = "TEXT", description = "What the key is for.")
  private Optional<String> name = Optional.empty();

  @Option(
      names = "--requests-per-minute",
      paramLabel = "N",
      description = "The maximum number of requests that begin in a minute (default: no limit).")
  private Optional<Long> requestsPerMinute = Optional.empty();

  @Option(
      names = "--tokens-per-minute",
      paramLabel = "N",
      description =
          "The maximum number of tokens of prompts and answers in a minute (default: no limit).")
  private Optional<Long> tokensPerMinute = Optional.empty();

  @Option(
      names = "--concurrent",
      paramLabel = "N",
      description = "The maximum number of requests at the same time (default: no limit).")
  private Optional<Integer> concurrent = Optional.empty();

  @Option(
      names = "--models",
      split = ",",
      paramLabel = "MODEL",
      description = "The models that the key may use (default: all).")
  private List<String> models = List.of();

  @Option(
      names = "--tiers",
      split = ",",
      paramLabel = "TIER",
      description =
          "The tiers that the key may use; the first is for requests that name none (default:"
              + " all).")
  private List<String> tiers = List.of();

  @Option(
      names = "--max-priority",
      paramLabel = "PRIORITY",
      description = "The highest priority that the key may name: urgent, interactive or bulk.")
  private Optional<String> maxPriority = Optional.empty();

  @Mixin private final StoreOptions store = new StoreOptions();

  @Override
  public Integer call() throws IOException {
    String secret = ApiKey.newSecret(new SecureRandom());
    ApiKey key =
        new ApiKey(
            ApiKey.idIn(secret).orElseThrow(),
            ApiKey.hash(secret),
            tenant(),
            name,
            Clock.systemUTC().instant().truncatedTo(ChronoUnit.SECONDS).toString(),
            limits());
    return store.with(
        keys -> {
          keys.add(key);
          PrintWriter out = spec.commandLine().getOut();
          out.println(secret);
          out.flush();
          return 0;
        });
  }

  private String tenant() {
    if (!Caller.isTenant(tenant)) {
      throw wrong("--tenant must be 1 to 256 printable ASCII characters without spaces");
    }
    return tenant;
  }

  private KeyLimits limits() {
    return new KeyLimits(
        requestsPerMinute
            .map(n -> positive("--requests-per-minute", n))
            .map(OptionalLong::of)
            .orElseGet(OptionalLong::empty),
        tokensPerMinute
            .map(n -> positive("--tokens-per-minute", n))
            .map(OptionalLong::of)
            .orElseGet(OptionalLong::empty),
        concurrent
            .map(n -> (int) positive("--concurrent", n))
            .map(OptionalInt::of)
            .orElseGet(OptionalInt::empty),
        models,
        tiers,
        maxPriority.map(this::priority));
  }

  private long positive(String option, long value) {
    if (value < 1) {
      throw wrong(option + " must be at least 1, not " + value);
    }
    return value;
  }

  private Priority priority(String text) {
    return Priority.parse(text)
        .orElseThrow(
            () -> wrong("--max-priority must be urgent, interactive or bulk, not '" + text + "'"));
  }

  private ParameterException wrong(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }
}
