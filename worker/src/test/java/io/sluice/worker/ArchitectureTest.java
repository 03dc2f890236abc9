package io.sluice.worker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.sluice.worker", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule onlyTheAdapterAndTheAssemblyKnowTheFramework =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.sluice.worker.engine.http", "io.sluice.worker.app")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micronaut..", "jakarta.inject..", "io.netty..");

  @ArchTest
  static final ArchRule theEngineKnowsNoKafka =
      noClasses()
          .that()
          .resideInAPackage("io.sluice.worker.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "org.redisson..");

  @ArchTest
  static final ArchRule generationsKnowTheLogOnlyByItsPorts =
      noClasses()
          .that()
          .resideInAPackage("io.sluice.worker.generation")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "org.redisson..", "io.sluice.worker.intake");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.sluice.worker.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule classesAreFinal =
      classes()
          .that()
          .areTopLevelClasses()
          .and()
          .areNotInterfaces()
          .and()
          .haveSimpleNameNotEndingWith("package-info")
          .and()
          .haveNameNotMatching(".*\\$.*")
          .should()
          .haveModifier(JavaModifier.FINAL);
}
