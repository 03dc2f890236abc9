package io.sluice.services;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.router.policy.Vocabulary;

@AnalyzeClasses(
    packages = "io.sluice.services",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  /** Only the commands and settings of the modules, and the meanings that {@code why} shows. */
  @ArchTest
  static final ArchRule itNamesOnlyCommandsAndSettings =
      classes()
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(
                      "io.sluice.services",
                      "io.sluice.cli..",
                      "io.sluice.router.app",
                      "io.sluice.worker.app",
                      "io.sluice.worker.config",
                      "io.sluice.gateway.app",
                      "io.sluice.gateway.access.command",
                      "io.sluice.gateway.config",
                      "io.sluice.config",
                      "java..",
                      "jdk.management..",
                      "com.sun.management..",
                      "org.slf4j..",
                      "picocli..",
                      "org.apache.kafka.clients..",
                      "org.apache.kafka.common.serialization..",
                      "org.jspecify..")
                  .or(type(Vocabulary.class)));
}
