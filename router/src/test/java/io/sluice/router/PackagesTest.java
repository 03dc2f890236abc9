package io.sluice.router;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.router.app.Router;
import java.time.Clock;
import java.time.Instant;

/** Holds the router's packages to what each may know. */
@AnalyzeClasses(packages = "io.sluice.router", importOptions = DoNotIncludeTests.class)
class PackagesTest {
  private static final String POLICY = "io.sluice.router.policy..";
  private static final String CLASSIFY = "io.sluice.router.classify..";
  private static final String FLEET = "io.sluice.router.fleet..";
  private static final String SCHEDULE = "io.sluice.router.schedule..";
  private static final String STREAM = "io.sluice.router.stream..";
  private static final String PEERS = "io.sluice.router.peers..";
  private static final String BULK = "io.sluice.router.bulk..";
  private static final String APP = "io.sluice.router.app..";
  private static final String COMMON = "io.sluice.common..";
  private static final String FLEET_STATE = "io.sluice.fleet..";

  @ArchTest
  static final ArchRule thePolicyIsPure =
      classes()
          .that()
          .resideInAPackage(POLICY)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(POLICY, COMMON, FLEET_STATE, "java..", "org.jspecify..");

  @ArchTest
  static final ArchRule theClassifierIsPure =
      classes()
          .that()
          .resideInAPackage(CLASSIFY)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              CLASSIFY, COMMON, "java..", "com.fasterxml.jackson..", "org.jspecify..");

  @ArchTest
  static final ArchRule theFleetViewNeedsNoFramework =
      classes()
          .that()
          .resideInAPackage(FLEET)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              FLEET, COMMON, FLEET_STATE, "java..", "org.slf4j..", "org.jspecify..");

  @ArchTest
  static final ArchRule whatRoutersTellEachOtherNeedsNoFramework =
      classes()
          .that()
          .resideInAPackage(PEERS)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              PEERS, POLICY, FLEET, COMMON, FLEET_STATE, "java..", "org.slf4j..", "org.jspecify..");

  @ArchTest
  static final ArchRule theSchedulerNeedsNoFramework =
      classes()
          .that()
          .resideInAPackage(SCHEDULE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              SCHEDULE,
              CLASSIFY,
              POLICY,
              FLEET,
              PEERS,
              COMMON,
              FLEET_STATE,
              "java..",
              "com.fasterxml.jackson..",
              "org.apache.kafka.common.header..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule theSchedulerKnowsNoClockButItsArgument =
      noClasses()
          .that()
          .resideInAnyPackage(POLICY, CLASSIFY, PEERS, SCHEDULE)
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  /** Of whose clock nothing may depend: see {@code PoolClock}. */
  @ArchTest
  static final ArchRule onlyTheRoutersStartReadsTheWallClock =
      noClasses()
          .that()
          .doNotBelongToAnyOf(Router.class)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethodWhere(target(name("currentSystemTimeMs")))
          .orShould()
          .callMethodWhere(
              target(owner(assignableTo(Clock.class))).and(target(nameStartingWith("system"))));

  @ArchTest
  static final ArchRule onlyThePoolClockAsksTheWallClock =
      noClasses()
          .that()
          .resideOutsideOfPackages(APP, "io.sluice.router.clock..")
          .should()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  @ArchTest
  static final ArchRule nothingUsesTheAssemblyButItself =
      noClasses()
          .that()
          .resideOutsideOfPackage(APP)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(APP);

  @ArchTest
  static final ArchRule streamsAndTheBulkFeederDoNotKnowEachOther =
      noClasses()
          .that()
          .resideInAPackage(STREAM)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(BULK);

  @ArchTest
  static final ArchRule theBulkFeederNeedsNoStreams =
      noClasses()
          .that()
          .resideInAPackage(BULK)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STREAM, "org.apache.kafka.streams..");
}
