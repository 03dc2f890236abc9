package io.sluice.bench;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Holds the packages of this module to the ones that each may use. */
@AnalyzeClasses(packages = "io.sluice.bench", importOptions = DoNotIncludeTests.class)
class PackagesTest {
  private static final String BENCH = "io.sluice.bench";

  /** Each package, and the packages of this module that it may use. */
  private static final Map<String, List<String>> USES =
      Map.ofEntries(
          Map.entry(
              "",
              List.of(
                  "batch",
                  "decide",
                  "failover",
                  "faults",
                  "fleet",
                  "fleet.autoscale",
                  "fleet.compare",
                  "fleet.fairness",
                  "footprint",
                  "kills",
                  "load",
                  "overhead",
                  "overload",
                  "pool",
                  "replay",
                  "soak",
                  "startup",
                  "throughput",
                  "torture",
                  "upgrade")),
          Map.entry("arrival", List.of()),
          Map.entry("process", List.of()),
          Map.entry("stat", List.of()),
          Map.entry("report", List.of()),
          Map.entry("trace", List.of()),
          Map.entry("trace.generated", List.of("trace")),
          Map.entry("direct", List.of()),
          Map.entry("gateway", List.of()),
          Map.entry("faults", List.of("process")),
          Map.entry("batch", List.of("direct", "process")),
          Map.entry("fleet.run", List.of("arrival", "stat", "trace")),
          Map.entry("fleet.balancer", List.of("fleet.run", "trace")),
          Map.entry("fleet.sluice", List.of("fleet.run", "trace")),
          Map.entry(
              "fleet.compare",
              List.of(
                  "fleet.balancer",
                  "fleet.run",
                  "fleet.sluice",
                  "report",
                  "stat",
                  "trace",
                  "trace.generated")),
          Map.entry(
              "fleet.autoscale",
              List.of("arrival", "fleet.balancer", "fleet.run", "fleet.sluice", "report", "trace")),
          Map.entry(
              "fleet",
              List.of(
                  "arrival",
                  "fleet.balancer",
                  "fleet.run",
                  "fleet.sluice",
                  "report",
                  "stat",
                  "trace")),
          Map.entry(
              "fleet.fairness",
              List.of("fleet.balancer", "fleet.run", "fleet.sluice", "report", "stat")),
          Map.entry("replay.log", List.of()),
          Map.entry(
              "replay.model", List.of("fleet.compare", "fleet.run", "fleet.sluice", "replay.log")),
          Map.entry(
              "replay",
              List.of("fleet.compare", "fleet.run", "replay.log", "replay.model", "stat")),
          Map.entry("decide", List.of("fleet.sluice")),
          Map.entry("traffic", List.of("gateway", "process")),
          Map.entry("load", List.of("arrival", "gateway", "process", "report", "stat", "traffic")),
          Map.entry("overhead", List.of("arrival", "traffic", "process", "report", "stat")),
          Map.entry("startup", List.of("traffic", "process", "report", "stat")),
          Map.entry("footprint", List.of("traffic", "process", "report", "stat")),
          Map.entry("pool", List.of("traffic", "process")),
          Map.entry("overload", List.of("gateway", "traffic", "process", "report", "stat")),
          Map.entry("soak", List.of("traffic", "process", "report", "stat")),
          Map.entry("throughput", List.of("gateway", "traffic", "process", "report")),
          Map.entry(
              "upgrade",
              List.of(
                  "direct",
                  "gateway",
                  "traffic",
                  "process",
                  "stat",
                  "torture.load",
                  "torture.pool")),
          Map.entry(
              "kills", List.of("direct", "gateway", "process", "torture.load", "torture.pool")),
          Map.entry(
              "failover",
              List.of(
                  "direct",
                  "gateway",
                  "traffic",
                  "process",
                  "report",
                  "stat",
                  "torture.load",
                  "torture.pool")),
          Map.entry("torture.pool", List.of("process")),
          Map.entry("torture.load", List.of("arrival", "torture.pool")),
          Map.entry("torture.log", List.of("torture.load", "torture.pool")),
          Map.entry(
              "torture.faults", List.of("process", "torture.log", "torture.load", "torture.pool")),
          Map.entry(
              "torture.checker",
              List.of("direct", "torture.faults", "torture.log", "torture.load", "torture.pool")),
          Map.entry(
              "torture.batches",
              List.of(
                  "direct",
                  "gateway",
                  "torture.checker",
                  "torture.log",
                  "torture.load",
                  "torture.pool")),
          Map.entry(
              "torture.clients",
              List.of(
                  "gateway",
                  "torture.batches",
                  "torture.checker",
                  "torture.log",
                  "torture.load",
                  "torture.pool")),
          Map.entry(
              "torture",
              List.of(
                  "gateway",
                  "process",
                  "report",
                  "stat",
                  "torture.checker",
                  "torture.clients",
                  "torture.faults",
                  "torture.load",
                  "torture.log",
                  "torture.pool")));

  @ArchTest
  static void eachPackageUsesOnlyThePackagesListedForIt(JavaClasses all) {
    USES.forEach(
        (name, others) -> {
          String[] allowed =
              Stream.concat(Stream.of(name), others.stream())
                  .map(PackagesTest::qualified)
                  .toArray(String[]::new);
          classes()
              .that()
              .resideInAPackage(qualified(name))
              .should()
              .onlyDependOnClassesThat(
                  not(resideInAPackage(BENCH + "..")).or(resideInAnyPackage(allowed)))
              .check(all);
        });
  }

  @ArchTest
  static void everyPackageIsListed(JavaClasses all) {
    assertThat(
            all.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> !name.endsWith(".jmh_generated"))
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrderElementsOf(
            USES.keySet().stream().map(PackagesTest::qualified).toList());
  }

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching(BENCH + ".(**)").should().beFreeOfCycles();

  private static String qualified(String name) {
    return name.isEmpty() ? BENCH : BENCH + "." + name;
  }
}
