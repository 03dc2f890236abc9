package io.sluice.producer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

@AnalyzeClasses(
    packages = "io.sluice.producer",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theSdkKnowsNothingOfTheCommandLine =
      noClasses()
          .that()
          .resideInAnyPackage("..client..", "..batch..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("picocli..", "me.tongfei..", "io.sluice.producer.command..");

  @ArchTest
  static final ArchRule batchJobsUseKafkaOnlyThroughTheClient =
      noClasses()
          .that()
          .resideInAnyPackage("..batch..", "..command..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      SlicesRuleDefinition.slices().matching("io.sluice.producer.(*)..").should().beFreeOfCycles();
}
