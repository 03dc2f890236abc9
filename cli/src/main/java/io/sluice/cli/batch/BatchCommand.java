package io.sluice.cli.batch;

import io.sluice.cli.ClientOptions;
import io.sluice.cli.DurationConverter;
import io.sluice.cli.PriorityConverter;
import io.sluice.cli.ShutdownHook;
import io.sluice.cli.Terminal;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.batch.BatchFileException;
import io.sluice.producer.batch.BatchJob;
import io.sluice.producer.batch.BatchProgress;
import io.sluice.producer.batch.BatchReport;
import io.sluice.producer.batch.BatchSpec;
import io.sluice.producer.client.SluiceClient;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code batch IN.jsonl -o OUT.jsonl}: runs an OpenAI Batch file, and continues an interrupted run.
 */
@Command(
    name = "batch",
    mixinStandardHelpOptions = true,
    description =
        "Run an OpenAI Batch file through the pool. After Ctrl-C or a crash, the same command"
            + " continues the run.")
public final class BatchCommand implements Callable<Integer> {
  private static final long STOP_SECONDS = 10;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "IN.jsonl",
      description = "The file of OpenAI Batch requests.")
  private Path input = Path.of("");

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "OUT.jsonl",
      description = "The file for the answers.")
  private Path output = Path.of("");

  @Option(
      names = "--errors",
      paramLabel = "FILE",
      description = "The file for failures (default: the output).")
  private Optional<Path> errors = Optional.empty();

  @Option(
      names = "--priority",
      converter = PriorityConverter.class,
      defaultValue = "bulk",
      description =
          "bulk uses the capacity that other traffic leaves; or interactive, urgent (default: bulk).")
  private Priority priority = Priority.BULK;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "How long to wait for each answer, such as 10m (default: bulk 24h, otherwise 60s).")
  private Optional<Duration> deadline = Optional.empty();

  @Option(
      names = "--max-in-flight",
      paramLabel = "N",
      defaultValue = "256",
      description =
          "The maximum number of requests in the pool at once (default: ${DEFAULT-VALUE}).")
  private int maxInFlight = BatchSpec.DEFAULT_MAX_IN_FLIGHT;

  @Option(names = "--model", description = "Use this model instead of the one in each line.")
  private Optional<String> model = Optional.empty();

  @Option(names = "--json", description = "Print the summary as JSON.")
  private boolean isJson;

  @Mixin private final ClientOptions client = new ClientOptions();

  @Override
  public Integer call() throws Exception {
    if (maxInFlight < 1) {
      throw new ParameterException(spec.commandLine(), "--max-in-flight must be at least 1");
    }
    ClientConfig config = client.clientConfig();
    CountDownLatch reported = new CountDownLatch(1);
    try (BatchJob job = open();
        ShutdownHook _ = ShutdownHook.of(() -> stop(job, reported))) {
      try {
        BatchReport report = run(job, config.withMaxInFlight(maxInFlight));
        print(report);
        return report.isAllAnswered() ? 0 : 1;
      } finally {
        reported.countDown();
      }
    }
  }

  private BatchJob open() {
    try {
      return BatchJob.open(
          new BatchSpec(input, output, errors, priority, maxInFlight, model, deadline));
    } catch (BatchFileException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private BatchReport run(BatchJob job, ClientConfig config) throws InterruptedException {
    try (SluiceClient pool = ClientOptions.connect(config)) {
      if (isJson || !Terminal.isInteractive()) {
        return job.run(pool, BatchProgress.NONE);
      }
      try (ProgressLine progress = new ProgressLine()) {
        return job.run(pool, progress);
      }
    }
  }

  private void print(BatchReport report) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(isJson ? Json.text(report) + System.lineSeparator() : BatchReportTable.of(report));
    out.flush();
    if (!report.isComplete()) {
      spec.commandLine().getErr().println("stopped; run the same command again to continue");
      spec.commandLine().getErr().flush();
    }
  }

  /** On Ctrl-C, the process waits until the files are consistent and the user has been told so. */
  private static void stop(BatchJob job, CountDownLatch reported) {
    job.stop();
    try {
      boolean _ = reported.await(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
