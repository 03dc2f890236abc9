package io.sluice.worker;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.worker.app.RunningWorker;
import java.time.Clock;
import java.time.Instant;

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
          .resideInAnyPackage(
              "io.sluice.worker.generation", "io.sluice.worker.answer", "io.sluice.worker.resume")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "org.redisson..", "io.sluice.worker.intake");

  @ArchTest
  static final ArchRule onlyTheWorkersStartReadsTheWallClock =
      noClasses()
          .that()
          .doNotBelongToAnyOf(RunningWorker.class)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethodWhere(
              target(owner(assignableTo(Clock.class))).and(target(nameStartingWith("system"))));

  /**
   * What a breaker and an operator are told, and what a cloud tells, are times; nothing else is.
   */
  @ArchTest
  static final ArchRule onlyHealthAndNoticesKnowAWallClock =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.sluice.worker.app", "io.sluice.worker.health", "io.sluice.worker.notice")
          .should()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.sluice.worker.(**)").should().beFreeOfCycles();

  /** The only arrows between the packages. */
  @ArchTest
  static final ArchRule packagesKnowOnlyWhatIsListed =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("clock")
          .definedBy("io.sluice.worker.clock")
          .layer("bounded")
          .definedBy("io.sluice.worker.bounded")
          .layer("config")
          .definedBy("io.sluice.worker.config")
          .layer("limit")
          .definedBy("io.sluice.worker.limit")
          .layer("evict")
          .definedBy("io.sluice.worker.evict")
          .layer("reply")
          .definedBy("io.sluice.worker.reply")
          .layer("engine")
          .definedBy("io.sluice.worker.engine")
          .layer("dialect")
          .definedBy("io.sluice.worker.engine.dialect")
          .layer("client")
          .definedBy("io.sluice.worker.engine.client")
          .layer("http")
          .definedBy("io.sluice.worker.engine.http")
          .layer("resume")
          .definedBy("io.sluice.worker.resume")
          .layer("answer")
          .definedBy("io.sluice.worker.answer")
          .layer("generation")
          .definedBy("io.sluice.worker.generation")
          .layer("intake")
          .definedBy("io.sluice.worker.intake")
          .layer("health")
          .definedBy("io.sluice.worker.health")
          .layer("warmup")
          .definedBy("io.sluice.worker.warmup")
          .layer("watchdog")
          .definedBy("io.sluice.worker.watchdog")
          .layer("notice")
          .definedBy("io.sluice.worker.notice")
          .layer("gpu")
          .definedBy("io.sluice.worker.gpu")
          .layer("app")
          .definedBy("io.sluice.worker.app")
          .whereLayer("clock")
          .mayNotAccessAnyLayer()
          .whereLayer("bounded")
          .mayNotAccessAnyLayer()
          .whereLayer("config")
          .mayNotAccessAnyLayer()
          .whereLayer("limit")
          .mayOnlyAccessLayers("clock")
          .whereLayer("evict")
          .mayNotAccessAnyLayer()
          .whereLayer("reply")
          .mayOnlyAccessLayers("clock")
          .whereLayer("engine")
          .mayNotAccessAnyLayer()
          .whereLayer("dialect")
          .mayOnlyAccessLayers("engine")
          .whereLayer("client")
          .mayOnlyAccessLayers("engine", "dialect", "clock")
          .whereLayer("http")
          .mayOnlyAccessLayers("engine")
          .whereLayer("resume")
          .mayOnlyAccessLayers("engine", "dialect", "reply")
          .whereLayer("answer")
          .mayOnlyAccessLayers("engine", "resume", "reply", "clock")
          .whereLayer("generation")
          .mayOnlyAccessLayers("engine", "dialect", "resume", "answer", "reply", "evict", "clock")
          .whereLayer("intake")
          .mayOnlyAccessLayers("generation", "reply", "evict", "clock")
          .whereLayer("health")
          .mayOnlyAccessLayers(
              "engine", "dialect", "generation", "intake", "limit", "evict", "config", "clock")
          .whereLayer("warmup")
          .mayOnlyAccessLayers("health", "limit", "engine", "config")
          .whereLayer("watchdog")
          .mayOnlyAccessLayers("health", "intake", "warmup", "config", "clock", "bounded")
          .whereLayer("notice")
          .mayOnlyAccessLayers("intake", "config", "clock", "bounded")
          .whereLayer("gpu")
          .mayOnlyAccessLayers("health", "limit", "config", "clock", "bounded")
          .whereLayer("app")
          .mayNotBeAccessedByAnyLayer();

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
