package io.sluice.standalone.pool;

import io.sluice.cli.Terminal;
import io.sluice.cli.batch.BatchReportTable;
import io.sluice.cli.batch.ProgressLine;
import io.sluice.config.StopSignal;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.batch.BatchJob;
import io.sluice.producer.batch.BatchProgress;
import io.sluice.producer.batch.BatchReport;
import io.sluice.producer.batch.BatchSpec;
import io.sluice.producer.client.SluiceClient;
import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice demo}: shows the main use case on a new machine, from the start of all services to
 * a finished bulk job.
 */
@Command(
    name = "demo",
    sortOptions = false,
    description =
        "Show the whole pool at work: start everything, stream one answer over HTTP, run a"
            + " bulk job over Kafka, and stop. The gateway takes port 8080 if it is free. Exit code 0 only if every request was answered.")
public final class DemoCommand implements Callable<Integer> {
  private static final String QUESTION =
      "In a few sentences: why put a message queue in front of GPUs?";
  private static final int ANSWER_TOKENS = 160;
  private static final int WORKERS = 3;

  /** The launcher's folder, which contains the examples. */
  private static final String HOME_PROPERTY = "sluice.home";

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--prompts",
      paramLabel = "FILE",
      description = "The file of OpenAI Batch requests (default: examples/prompts.jsonl).")
  private Optional<Path> prompts = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      defaultValue = "demo-results.jsonl",
      description = "The file for the answers, which is overwritten (default: ${DEFAULT-VALUE}).")
  private Path output = Path.of("");

  @Override
  public Integer call() throws Exception {
    Path input = input();
    PrintWriter out = spec.commandLine().getOut();
    out.println("Starting Kafka, Redis, a router, three simulated GPUs and a fallback ...");
    out.flush();
    long startNanos = System.nanoTime();
    Started started = new Started();
    StopSignal.running(started::close);
    try (LocalPool pool =
        LocalPool.start(PoolPlan.simulated(Ports.forDemo(), WORKERS, Optional.empty()), started)) {
      URI gateway = URI.create("http://%s:%s".formatted(LocalPort.HOST, pool.gatewayPort()));
      out.printf(
          Locale.ROOT,
          "Ready after %.1f s: OpenAI's API at %s/v1, Kafka at %s.%n%n> %s%n",
          seconds(startNanos),
          gateway,
          pool.kafka(),
          QUESTION);
      out.flush();
      boolean answered = new HttpChat(gateway, out).print(QUESTION, ANSWER_TOKENS);
      out.println();
      try (SluiceClient client = SluiceClient.connect(ClientConfig.at(pool.kafka()))) {
        BatchReport report = batch(client, input, pool.plan().tiers(), out);
        out.printf("%nAll answers are in %s.%n", output);
        out.flush();
        return answered && report.isAllAnswered() ? 0 : 1;
      }
    }
  }

  private Path input() {
    Path input =
        prompts.orElseGet(
            () -> Path.of(System.getProperty(HOME_PROPERTY, "."), "examples", "prompts.jsonl"));
    if (!Files.isReadable(input)) {
      throw new ParameterException(
          spec.commandLine(), "cannot read " + input + "; set the file of requests with --prompts");
    }
    emptyOutput();
    return input;
  }

  /**
   * A batch job continues after the existing output, but a demo always starts from the beginning,
   * and needs a writable output.
   */
  private void emptyOutput() {
    try {
      Files.deleteIfExists(output);
      Files.createFile(output);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "cannot write " + output + "; set another file with --output", e);
    }
  }

  private BatchReport batch(
      SluiceClient client, Path input, Map<String, String> tiers, PrintWriter out)
      throws InterruptedException {
    out.printf("Bulk job: %s%n", input.getFileName());
    out.flush();
    try (BatchJob job = BatchJob.open(BatchSpec.bulk(input, output))) {
      BatchReport report = run(job, client);
      out.println();
      out.print(BatchReportTable.of(report, tiers));
      return report;
    }
  }

  private static BatchReport run(BatchJob job, SluiceClient client) throws InterruptedException {
    if (!Terminal.isInteractive()) {
      return job.run(client, BatchProgress.NONE);
    }
    try (ProgressLine progress = new ProgressLine()) {
      return job.run(client, progress);
    }
  }

  private static double seconds(long sinceNanos) {
    return Duration.ofNanos(System.nanoTime() - sinceNanos).toMillis() / 1000.0;
  }
}
