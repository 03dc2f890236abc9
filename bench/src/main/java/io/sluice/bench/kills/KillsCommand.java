package io.sluice.bench.kills;

import io.sluice.bench.direct.QuickEngine;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.process.EngineProcess;
import io.sluice.bench.process.Progress;
import io.sluice.bench.process.TargetOptions;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.config.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.apache.kafka.common.utils.Utils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code bench kills}: what HTTP clients see when a part of the pool fails. */
@Command(
    name = "kills",
    description =
        "Kill and freeze each part of a pool in mid-stream, and print what HTTP clients of a"
            + " gateway see that do not handle failures. Exits with 1 if one of them could take a"
            + " part for the whole.")
public final class KillsCommand implements Callable<Integer> {
  /** Two of everything, so that each has a replacement. */
  static final PoolSetup SETUP = new PoolSetup(3, 2, 2, 2, Engines.simulated());

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private TargetOptions others = new TargetOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    // Small, so that a slow reader is felt by the gateway and not by the network.
    System.setProperty("jdk.httpclient.receiveBufferSize", "16384");
    PrintWriter out = spec.commandLine().getOut();
    var progress = new Progress(out);
    Map<String, URI> targets = others.targets(spec);
    Path folder = Files.createTempDirectory("sluice-kills-");
    try (var reference =
        QuickEngine.start(SETUP.engines().model(), SETUP.engines().maxModelLen())) {
      List<KillRow> rows =
          targets.isEmpty()
              ? ofPool(folder, reference.uri(), progress)
              : ofTargets(targets, folder, reference.uri(), progress);
      print(rows, out);
      // Other servers break streams; that is what the rows show.
      Predicate<KillRow> isFault = targets.isEmpty() ? KillRow::isBroken : KillRow::isDeceiving;
      return rows.stream().anyMatch(isFault) ? 1 : 0;
    } finally {
      Utils.delete(folder.toFile());
    }
  }

  private static List<KillRow> ofPool(Path folder, URI reference, Progress progress)
      throws IOException, InterruptedException {
    try (var pool = new PoolProcesses(SETUP, folder);
        var gateways = new Gateways(pool.gateways())) {
      progress.accept("starting %s".formatted(SETUP));
      pool.start();
      var judge = new Judge(Judge.Rereader.of(gateways), reference);
      return new KillsRun(pool, gateways, SETUP.engines().model(), judge, progress).rows();
    }
  }

  private List<KillRow> ofTargets(
      Map<String, URI> targets, Path folder, URI reference, Progress progress)
      throws IOException, InterruptedException {
    String model = SETUP.engines().model();
    List<String> options =
        List.of("--profile=l4", "--max-model-len=" + SETUP.engines().maxModelLen());
    try (var engine =
        EngineProcess.simulated(others.enginePort(), model, options, "engine", folder)) {
      var judge = new Judge(Judge.Rereader.NONE, reference);
      return new TargetKills(targets, others, engine, model, judge, progress).rows();
    }
  }

  private static void print(List<KillRow> rows, PrintWriter out) {
    var table =
        new TextTable()
            .left("what")
            .right(
                "streams",
                "right",
                "error event",
                "status",
                "broken",
                "again",
                "silent",
                "longest gap",
                "stopped in");
    for (KillRow row : rows) {
      table.row(
          row.what(),
          row.seen().size(),
          row.right(),
          row.count(Sighting.End.ERROR_EVENT),
          row.statuses(),
          row.count(Sighting.End.BROKEN),
          row.continued(),
          row.count(Sighting.End.SILENT) + row.wrong(),
          row.longestGapMillis() + " ms",
          row.stoppedMillis().isPresent() ? row.stoppedMillis().getAsLong() + " ms" : "-");
    }
    out.println();
    out.print(table);
    out.println(
        """

        right: complete, and the text of an undisturbed engine. again: of those that were not, how
        many read the whole answer at another gateway with GET /v1/requests/ID/stream.
        silent: ended without an end or an error, or with another text.""");
    out.flush();
  }
}
