package io.sluice.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the commands' packages to what each may know. */
@AnalyzeClasses(packages = "io.sluice.cli", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String SHARED = "io.sluice.cli";
  private static final String OPERATIONS = "io.sluice.cli.operations";
  private static final String DOCTOR = "io.sluice.cli.doctor";

  /** Each group of commands knows itself and what all share. */
  @ArchTest static final ArchRule whatIsSharedKnowsNoCommand = knowsOfTheCommandsOnly(SHARED);

  @ArchTest static final ArchRule requests = knowsOfTheCommandsOnly("io.sluice.cli.request");

  @ArchTest static final ArchRule batches = knowsOfTheCommandsOnly("io.sluice.cli.batch");

  @ArchTest static final ArchRule deadLetters = knowsOfTheCommandsOnly("io.sluice.cli.deadletter");

  @ArchTest static final ArchRule acls = knowsOfTheCommandsOnly("io.sluice.cli.acl");

  /** The doctor examines what operators see, too. */
  @ArchTest
  static final ArchRule doctor =
      classes()
          .that()
          .resideInAPackage(DOCTOR)
          .should()
          .onlyDependOnClassesThat(
              resideOutsideOfPackage("io.sluice.cli..")
                  .or(resideInAnyPackage(DOCTOR, OPERATIONS, SHARED)));

  @ArchTest static final ArchRule operations = knowsOfTheCommandsOnly(OPERATIONS);

  @ArchTest
  static final ArchRule onlyOperationsAndTheDoctorKnowTheFleet =
      noClasses()
          .that()
          .resideOutsideOfPackages(OPERATIONS, DOCTOR)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.sluice.fleet..", "org.redisson..");

  @ArchTest
  static final ArchRule commandsUseKafkaOnlyThroughTheSdkUnlessTheyExamineIt =
      noClasses()
          .that()
          .resideOutsideOfPackage(DOCTOR)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "io.sluice.producer.kafka..");

  private static ArchRule knowsOfTheCommandsOnly(String own) {
    return classes()
        .that()
        .resideInAPackage(own)
        .should()
        .onlyDependOnClassesThat(
            resideOutsideOfPackage("io.sluice.cli..").or(resideInAnyPackage(own, SHARED)));
  }
}
