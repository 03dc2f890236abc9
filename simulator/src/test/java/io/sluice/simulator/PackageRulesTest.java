package io.sluice.simulator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "io.sluice.simulator",
    importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRulesTest {

  @ArchTest
  static final ArchRule the_engine_and_its_text_know_no_framework_and_nothing_else_of_ours =
      classes()
          .that()
          .resideInAnyPackage("..simulator.engine", "..simulator.text")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.sluice.simulator.engine",
              "io.sluice.simulator.text",
              "java..",
              "org.jspecify..",
              "com.knuddels.jtokkit..");

  @ArchTest
  static final ArchRule the_engine_has_no_clock_and_no_thread =
      com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses()
          .that()
          .resideInAPackage("..simulator.engine")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.util.concurrent..", "java.time..");

  @ArchTest
  static final ArchRule only_the_http_package_knows_netty =
      com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses()
          .that()
          .resideOutsideOfPackage("..simulator.http")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");
}
