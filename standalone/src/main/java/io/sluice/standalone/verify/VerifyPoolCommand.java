package io.sluice.standalone.verify;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import io.sluice.standalone.verify.MatrixResult.Verdict;
import io.sluice.standalone.verify.pool.CuttingProxy;
import io.sluice.standalone.verify.pool.Findings;
import io.sluice.standalone.verify.pool.PoolWatch;
import io.sluice.standalone.verify.pressure.PressureChecks;
import io.sluice.verify.http.Engine;
import io.sluice.worker.app.Worker;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice verify-pool}: checks whether interrupted answers of an engine equal the
 * uninterrupted ones.
 */
@Command(
    name = "verify-pool",
    sortOptions = false,
    description =
        "Start a pool over an engine, ask it about each option of the API twice, cut the engine's"
            + " connection in the middle of the second answer, and compare the two. Compare the"
            + " keys of whole answers, and the statuses of bad bodies, with those of the engine,"
            + " asked directly. Then cancel streams and let deadlines pass, and measure how soon"
            + " the engine frees them."
            + " If its KV cache is small enough to be filled, requests that are sent directly to the"
            + " engine have to open the memory breaker, and bulk requests have to make room for others."
            + " Last, the engine takes long to tokenize, refuses its key, and disappears, each in the"
            + " middle of a stream."
            + " Exit code 1 if any answer differs or is missing, none was cut, or a promise is"
            + " broken.")
public final class VerifyPoolCommand implements Callable<Integer> {
  private static final Duration READY_WITHIN = Duration.ofSeconds(30);

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      required = true,
      description = "The engine's URL, such as http://127.0.0.1:8000.")
  private URI url = URI.create("");

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model (default: the first that the engine lists).")
  private Optional<String> model = Optional.empty();

  @Option(
      names = "--engine-api-key",
      paramLabel = "KEY",
      description = "The bearer token that the engine requires.")
  private Optional<String> apiKey = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Determines where answers are cut (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Override
  public Integer call() throws Exception {
    try (CuttingProxy proxy = CuttingProxy.start(url);
        LocalPool pool =
            LocalPool.start(
                PoolPlan.over(Ports.free(), List.of(proxy.uri()), model, apiKey)
                    .withWarmEngines());
        SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
        Engine engine = Engine.at(url, Optional.of(asked(pool)), apiKey)) {
      boolean isSame =
          isSame(new PoolCheck(client, proxy, engine.model(), engine.loras(), seed), engine);
      var findings = new Findings(spec.commandLine().getOut());
      new WholeAnswerCheck(client, engine).run(findings);
      findings.accept("bad bodies", new BadBodiesCheck(pool.kafka(), client, engine).run());
      new ReleaseCheck(client, engine.client(), engine.model()).run(findings);
      new PressureChecks(pool, client, proxy, engine.client(), apiKey, engine.model())
          .run(seed, findings);
      findings.accept(
          "prompt tokens",
          new PromptTokensCheck(client, ClientConfig.at(pool.kafka()), engine.model()).run());
      try (PoolWatch watch = new PoolWatch(engine.client(), pool.redis())) {
        new TroubleChecks(client, proxy, watch, engine.model(), engine.maxModelLen()).run(findings);
      }
      return isSame && findings.areKept() ? 0 : 1;
    }
  }

  /** Returns whether no interrupted answer is different or missing, and any was interrupted. */
  private boolean isSame(PoolCheck check, Engine engine) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
    check.run(
        MatrixCase.of(engine.maxModelLen(), engine.loras()),
        result -> {
          counts.merge(result.verdict(), 1, Integer::sum);
          out.printf("%-40s %-16s %s%n", result.name(), result.verdict().shown(), detail(result));
          out.flush();
        });
    int options = counts.values().stream().mapToInt(Integer::intValue).sum();
    out.printf("%n%d options:", options);
    counts.forEach((verdict, count) -> out.printf(" %d %s;", count, verdict.shown()));
    out.println();
    out.flush();
    boolean isAnyCut = counts.containsKey(Verdict.SAME) || counts.containsKey(Verdict.RESTARTED);
    boolean isAnyLost =
        counts.containsKey(Verdict.DIFFERENT) || counts.containsKey(Verdict.UNANSWERED);
    return isAnyCut && !isAnyLost;
  }

  private static String detail(MatrixResult result) {
    String attempts = result.attempts() > 1 ? result.attempts() + " attempts " : "";
    return (attempts + result.detail().lines().findFirst().orElse("")).strip();
  }

  private String asked(LocalPool pool) throws InterruptedException {
    if (model.isPresent()) {
      return model.get();
    }
    Worker worker = pool.workers().getFirst();
    if (worker.awaitReady(READY_WITHIN)) {
      return worker.models().getFirst();
    }
    throw new ParameterException(
        spec.commandLine(),
        url + " lists no model within 30 s; check that it is running, or set --model");
  }
}
