package io.sluice.standalone;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the modules to what each may know of the others. */
@AnalyzeClasses(
    packages = "io.sluice",
    importOptions = {DoNotIncludeTests.class, ModuleDependenciesTest.NoTestJars.class})
class ModuleDependenciesTest {

  /** Test kits of other modules. */
  static final class NoTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  private static final String CONFIG = "io.sluice.config..";
  private static final String COMMON = "io.sluice.common..";
  private static final String FLEET = "io.sluice.fleet..";
  private static final String TRACING = "io.sluice.tracing..";
  private static final String PRODUCER = "io.sluice.producer..";
  private static final String CLI = "io.sluice.cli..";
  private static final String ROUTER = "io.sluice.router..";
  private static final String WORKER = "io.sluice.worker..";
  private static final String GATEWAY = "io.sluice.gateway..";
  private static final String SIMULATOR = "io.sluice.simulator..";
  private static final String VERIFY = "io.sluice.verify..";
  private static final String SERVICES = "io.sluice.services..";
  private static final String STANDALONE = "io.sluice.standalone..";
  private static final String BENCH = "io.sluice.bench..";

  @ArchTest
  static final ArchRule onlyTheWholeUsesTheParts =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              PRODUCER, CLI, ROUTER, WORKER, GATEWAY, SERVICES, STANDALONE, BENCH)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(PRODUCER, CLI, ROUTER, WORKER, GATEWAY, SERVICES, STANDALONE)
          .allowEmptyShould(true);

  @ArchTest static final ArchRule theSdkKnowsOnlyTheProtocol = knowsOfOursOnly(PRODUCER, COMMON);

  @ArchTest
  static final ArchRule theCommandsKnowTheClientAndTheFleet =
      knowsOfOursOnly(CLI, CONFIG, COMMON, FLEET, PRODUCER);

  @ArchTest
  static final ArchRule theRouterKnowsOnlySettingsProtocolAndFleet =
      knowsOfOursOnly(ROUTER, CONFIG, COMMON, FLEET, TRACING);

  @ArchTest
  static final ArchRule theWorkerKnowsOnlySettingsProtocolAndFleet =
      knowsOfOursOnly(WORKER, CONFIG, COMMON, FLEET, TRACING);

  @ArchTest
  static final ArchRule theGatewayIsAClientThatKnowsTheFleet =
      knowsOfOursOnly(GATEWAY, CONFIG, COMMON, FLEET, TRACING, PRODUCER);

  @ArchTest
  static final ArchRule theServicesKnowWhatRunsInProduction =
      knowsOfOursOnly(SERVICES, CONFIG, CLI, ROUTER, WORKER, GATEWAY);

  @ArchTest
  static final ArchRule theSimulatorKnowsOnlySettings = knowsOfOursOnly(SIMULATOR, CONFIG);

  @ArchTest
  static final ArchRule theVerifierKnowsOnlyTheSimulator = knowsOfOursOnly(VERIFY, SIMULATOR);

  @ArchTest
  static final ArchRule theFleetKnowsOnlySettingsAndTheProtocol =
      knowsOfOursOnly(FLEET, CONFIG, COMMON);

  @ArchTest
  static final ArchRule tracingKnowsOnlySettingsAndTheProtocol =
      knowsOfOursOnly(TRACING, CONFIG, COMMON);

  @ArchTest
  static final ArchRule onlyTracingKnowsOpenTelemetry =
      noClasses()
          .that()
          .resideOutsideOfPackage(TRACING)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.opentelemetry..")
          .allowEmptyShould(true);

  @ArchTest static final ArchRule settingsKnowNothingOfOurs = knowsOfOursOnly(CONFIG);

  @ArchTest
  static final ArchRule theProtocolNeedsNoFramework =
      classes()
          .that()
          .resideInAPackage(COMMON)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              COMMON,
              "java..",
              "javax..",
              "org.apache.kafka..",
              "com.fasterxml.jackson..",
              "com.fasterxml.uuid..",
              "com.knuddels.jtokkit..",
              "org.slf4j..",
              "org.jspecify..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule theProductUsesNoTestKit =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka.common.test..",
              "kafka.testkit..",
              "org.testcontainers..",
              "org.junit..",
              "org.assertj..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule packagesOfAModuleFormNoCycles =
      slices().matching("io.sluice.(**)").should().beFreeOfCycles().allowEmptyShould(true);

  private static ArchRule knowsOfOursOnly(String module, String... known) {
    return classes()
        .that()
        .resideInAPackage(module)
        .should()
        .onlyDependOnClassesThat(
            resideOutsideOfPackage("io.sluice..")
                .or(resideInAPackage(module))
                .or(resideInAnyPackage(known)))
        .allowEmptyShould(true);
  }
}
