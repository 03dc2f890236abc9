package io.sluice.standalone.verify;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.client.SluiceClient;
import io.sluice.standalone.pool.LocalPool;
import io.sluice.standalone.pool.PoolPlan;
import io.sluice.standalone.pool.Ports;
import io.sluice.standalone.verify.PoolCheck.Result;
import io.sluice.standalone.verify.PoolCheck.Verdict;
import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineClient;
import io.sluice.worker.app.Worker;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
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
        "Starts a pool over an engine, asks it about each option of the API twice, cuts the engine's"
            + " connection in the middle of the second answer, and compares the two. Compares the"
            + " keys of whole answers, and the statuses of bad bodies, with those of the engine,"
            + " asked directly. Then cancels streams and lets deadlines pass, and measures how soon"
            + " the engine frees them."
            + " Where its KV cache is small enough to be filled, load beside the pool has to open the"
            + " memory breaker, and bulk requests have to make room for others."
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
      description = "The engine's URL, such as http://127.0.0.1:8000")
  private URI url = URI.create("");

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "The model (default: the first that the engine lists)")
  private Optional<String> model = Optional.empty();

  @Option(
      names = "--engine-api-key",
      paramLabel = "KEY",
      description = "The bearer token that the engine requires")
  private Optional<String> apiKey = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Determines where answers are cut (default: ${DEFAULT-VALUE})")
  private long seed;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    try (CuttingProxy proxy = CuttingProxy.start(url);
        LocalPool pool =
            LocalPool.start(PoolPlan.over(Ports.free(), List.of(proxy.uri()), model, apiKey));
        SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()));
        EngineClient engine = new EngineClient(url, apiKey)) {
      String asked = model.isPresent() ? model.get() : served(pool);
      List<Result> results = new ArrayList<>();
      boolean isAsTheEngine;
      try (Engine examined = Engine.at(url, Optional.of(asked), apiKey)) {
        new PoolCheck(client, proxy, asked, examined.loras(), seed)
            .run(
                MatrixCase.of(examined.maxModelLen(), examined.loras()),
                result -> {
                  results.add(result);
                  out.printf(
                      "%-40s %-16s %s%n", result.name(), result.verdict().shown(), detail(result));
                  out.flush();
                });
        isAsTheEngine = isAsTheEngine(pool, client, examined);
      }
      Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
      results.forEach(result -> counts.merge(result.verdict(), 1, Integer::sum));
      out.printf("%n%d options:", results.size());
      counts.forEach((verdict, count) -> out.printf(" %d %s;", count, verdict.shown()));
      out.println();
      out.flush();
      boolean isFreed = isFreed(new ReleaseCheck(client, engine, asked));
      boolean isKept = isKept(new PressureChecks(pool, client, proxy, engine, apiKey, asked));
      boolean isAnyCut = counts.containsKey(Verdict.SAME) || counts.containsKey(Verdict.RESTARTED);
      boolean isAnyLost =
          counts.containsKey(Verdict.DIFFERENT) || counts.containsKey(Verdict.UNANSWERED);
      return isAnyLost || !isAnyCut || !isAsTheEngine || !isFreed || !isKept ? 1 : 0;
    }
  }

  /** Whether whole answers and refusals are those of the engine; says what was compared. */
  private boolean isAsTheEngine(LocalPool pool, SluiceClient client, Engine engine)
      throws InterruptedException {
    var findings = new Findings(spec.commandLine().getOut());
    new WholeAnswerCheck(client, engine).run(findings);
    findings.accept("bad bodies", new BadBodiesCheck(pool.kafka(), client, engine).run());
    return findings.areKept();
  }

  /** Whether the engine frees soon enough what nobody wants any more; says how soon. */
  private boolean isFreed(ReleaseCheck check) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (!check.isPossible()) {
      out.println("the engine's metrics do not show when streams are dropped");
      return true;
    }
    boolean isFreed = true;
    for (Release.Cause cause : Release.Cause.values()) {
      Finding finding = check.run(cause).finding();
      out.println(finding.text());
      out.flush();
      isFreed &= !finding.isBroken();
    }
    return isFreed;
  }

  /** Runs the checks for an engine with little memory and reports the findings. */
  private boolean isKept(PressureChecks checks) throws InterruptedException {
    var findings = new Findings(spec.commandLine().getOut());
    checks.run(seed, findings);
    return findings.areKept();
  }

  private static String detail(Result result) {
    String attempts = result.attempts() > 1 ? result.attempts() + " attempts " : "";
    return (attempts + result.detail().lines().findFirst().orElse("")).strip();
  }

  private String served(LocalPool pool) throws InterruptedException {
    Worker worker = pool.workers().getFirst();
    if (worker.awaitReady(READY_WITHIN)) {
      return worker.models().getFirst();
    }
    throw new ParameterException(
        spec.commandLine(),
        url + " lists no model within 30 s; check that it is running, or set --model");
  }
}
