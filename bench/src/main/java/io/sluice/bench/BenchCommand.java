package io.sluice.bench;

import io.sluice.bench.batch.BatchCommand;
import io.sluice.bench.decide.DecideCommand;
import io.sluice.bench.failover.FailoverCommand;
import io.sluice.bench.faults.FaultsCommand;
import io.sluice.bench.fleet.BulkCommand;
import io.sluice.bench.fleet.FieldCommand;
import io.sluice.bench.fleet.RestartCommand;
import io.sluice.bench.fleet.autoscale.AutoscaleCommand;
import io.sluice.bench.fleet.compare.FleetCommand;
import io.sluice.bench.fleet.fairness.FairnessCommand;
import io.sluice.bench.footprint.FootprintCommand;
import io.sluice.bench.kills.KillsCommand;
import io.sluice.bench.load.LoadCommand;
import io.sluice.bench.overhead.OverheadCommand;
import io.sluice.bench.overload.OverloadCommand;
import io.sluice.bench.pool.PoolCommand;
import io.sluice.bench.soak.SoakCommand;
import io.sluice.bench.startup.StartupCommand;
import io.sluice.bench.throughput.ThroughputCommand;
import io.sluice.bench.torture.CrashCommand;
import io.sluice.bench.torture.TortureCommand;
import io.sluice.bench.upgrade.UpgradeCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command group of all measurements. */
@Command(
    name = "sluice bench",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "MEASUREMENT",
    description =
        "Run a measurement. Each command prints a table; most write the figures to a file too, with"
            + " --json, and a chart of them, with --svg.",
    subcommands = {
      DecideCommand.class,
      FleetCommand.class,
      FieldCommand.class,
      RestartCommand.class,
      BulkCommand.class,
      FairnessCommand.class,
      AutoscaleCommand.class,
      TortureCommand.class,
      CrashCommand.class,
      KillsCommand.class,
      FailoverCommand.class,
      FaultsCommand.class,
      BatchCommand.class,
      OverheadCommand.class,
      LoadCommand.class,
      OverloadCommand.class,
      SoakCommand.class,
      StartupCommand.class,
      FootprintCommand.class,
      ThroughputCommand.class,
      UpgradeCommand.class,
      PoolCommand.class
    },
    footer = {"", "Exit codes: 0 ok, 1 failed work, 2 wrong usage."})
final class BenchCommand implements Runnable {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  /** Runs when no measurement is named. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing measurement");
  }
}
