package io.sluice.cli.doctor;

import io.sluice.cli.ClientOptions;
import io.sluice.cli.Counted;
import io.sluice.cli.operations.PoolOptions;
import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Lanes;
import io.sluice.config.TextTable;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.producer.ClientConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code doctor}: examines a pool and says what to do. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description =
        "Examine Kafka, Redis, topics, clocks, disks, routers, workers and engines, and say what"
            + " to do. Exit code 1 if a failure is found, so that requests fail or wait.")
public final class DoctorCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(names = "--json", description = "Print the findings as JSON.")
  private boolean isJson;

  @Mixin private final ClientOptions kafka = new ClientOptions();
  @Mixin private final PoolOptions pool = new PoolOptions();

  @Override
  public Integer call() throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    Lanes lanes = Lanes.standard();
    try (PoolOptions.Fleet fleet = pool.open()) {
      findings.addAll(RedisRules.findings(new RedisReader(fleet.client()).read()));
      FleetReading workers = fleet.workers();
      List<RouterReport> routers = fleet.routers();
      findings.addAll(FleetRules.findings(workers, routers));
      lanes = lanes(routers);
    } catch (RuntimeException e) {
      findings.add(
          Finding.failure(
              "Redis",
              "%s: %s".formatted(pool.address(), Reasons.of(e)),
              "start it, or check --redis with its password: routers and workers do not find each"
                  + " other"));
    }
    findings.addAll(0, kafkaFindings(lanes));
    print(findings);
    return findings.stream().anyMatch(found -> found.grade() == Finding.Grade.FAILURE) ? 1 : 0;
  }

  private List<Finding> kafkaFindings(Lanes lanes) throws InterruptedException {
    ClientConfig config = kafka.clientConfig();
    Map<String, String> properties = new HashMap<>(config.kafka());
    properties.put("bootstrap.servers", config.bootstrapServers());
    try (KafkaReader reader = new KafkaReader(properties)) {
      return KafkaRules.findings(reader.read(), lanes);
    } catch (ExecutionException | KafkaException e) {
      return List.of(
          Finding.failure(
              "Kafka",
              "%s: %s".formatted(config.bootstrapServers(), Reasons.of(e)),
              "start it, or check --kafka and --kafka-config"));
    }
  }

  /** Returns what the routers report; else the lanes of a pool with default settings. */
  private static Lanes lanes(List<RouterReport> routers) {
    List<Lane> reported = RouterReport.lanesOf(routers).stream().map(Lane::parse).toList();
    return reported.isEmpty() ? Lanes.standard() : new Lanes(reported);
  }

  private void print(List<Finding> findings) {
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      out.println(Json.text(findings));
    } else {
      TextTable table = new TextTable().left("", "");
      for (Finding finding : findings) {
        table.row(finding.grade(), finding.part() + ": " + finding.state());
        if (!finding.advice().isEmpty()) {
          table.row("", "-> " + finding.advice());
        }
      }
      out.printf(
          "%s%n%d ok, %s, %s%n",
          table,
          count(findings, Finding.Grade.OK),
          Counted.of(count(findings, Finding.Grade.WARNING), "warning"),
          Counted.of(count(findings, Finding.Grade.FAILURE), "failure"));
    }
    out.flush();
  }

  private static long count(List<Finding> findings, Finding.Grade grade) {
    return findings.stream().filter(finding -> finding.grade() == grade).count();
  }
}
