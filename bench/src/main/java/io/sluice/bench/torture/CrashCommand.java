package io.sluice.bench.torture;

import io.sluice.bench.process.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench crash}: a gateway, a router and a worker die together. */
@Command(
    name = "crash",
    description =
        "Kill a gateway, a router and a worker together under background responses, and compare"
            + " the events of every response at three gateways. Exits with 1 if any differ.")
public final class CrashCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--responses",
      paramLabel = "N",
      description = "Background responses (default: ${DEFAULT-VALUE}).")
  private int responses = 200;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the requests (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (responses < 1) {
      throw new ParameterException(spec.commandLine(), "--responses must be more than 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    Path folder = TortureRun.newFolder();
    CrashReport report = new CrashRun(responses, seed, folder, new Progress(out)).run();
    report.print(out);
    if (report.isClean()) {
      Utils.delete(folder.toFile());
    } else {
      out.println("logs of all processes are in " + folder);
      out.flush();
    }
    return report.isClean() ? 0 : 1;
  }
}
