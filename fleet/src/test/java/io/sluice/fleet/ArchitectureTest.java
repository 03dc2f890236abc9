package io.sluice.fleet;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sluice.fleet", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule itKnowsNothingButSettingsTheProtocolRedisAndJson =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.sluice.fleet..",
              "io.sluice.config..",
              "io.sluice.common.protocol..",
              "java..",
              "javax.net.ssl..",
              "com.fasterxml.jackson..",
              "org.redisson..",
              "org.slf4j..",
              "org.jspecify..");

  /** The table of the breaker is pure; the script that applies it in Redis is the fleet's. */
  @ArchTest
  static final ArchRule theBreakerKnowsNeitherRedisNorTheFleet =
      noClasses()
          .that()
          .resideInAPackage("io.sluice.fleet.breaker")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.sluice.fleet", "io.sluice.fleet.redis..", "org.redisson..");

  @ArchTest
  static final ArchRule theConnectionToRedisKnowsNothingOfTheFleet =
      noClasses()
          .that()
          .resideInAPackage("io.sluice.fleet.redis")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.sluice.fleet",
              "io.sluice.fleet.breaker..",
              "io.sluice.fleet.peers..",
              "io.sluice.fleet.quota..",
              "io.sluice.fleet.retry..");

  @ArchTest
  static final ArchRule whatIsKeptApartKnowsNothingOfWorkers =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.sluice.fleet.peers", "io.sluice.fleet.quota", "io.sluice.fleet.retry")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.sluice.fleet", "io.sluice.fleet.breaker..");

  @ArchTest
  static final ArchRule itsPackagesHaveNoCycles =
      slices().matching("io.sluice.fleet.(*)..").should().beFreeOfCycles();
}
