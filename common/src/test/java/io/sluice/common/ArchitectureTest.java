package io.sluice.common;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sluice.common", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule itUsesNoFramework =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.micronaut..",
              "picocli..",
              "io.netty..",
              "jakarta..",
              "org.redisson..",
              "org.apache.kafka.streams..");

  @ArchTest
  static final ArchRule itKnowsNoOtherModule =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.sluice.fleet..",
              "io.sluice.producer..",
              "io.sluice.cli..",
              "io.sluice.router..",
              "io.sluice.worker..",
              "io.sluice.simulator..",
              "io.sluice.standalone..");

  @ArchTest
  static final ArchRule itsPackagesHaveNoCycles =
      slices().matching("io.sluice.common.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule theProtocolStandsAlone =
      noClasses()
          .that()
          .resideInAPackage("..common.protocol..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..common.reply..", "..common.tokens..", "..common.topic..");

  @ArchTest
  static final ArchRule theReadingRuleIsPure =
      classes()
          .that()
          .haveNameMatching(".*\\.ReplyFold(\\$.*)?")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "io.sluice.common.reply..", "org.jspecify..");
}
