package io.sluice.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.annotation.ServerFilter;

@AnalyzeClasses(packages = "io.sluice.gateway", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String[] SERVER = {"io.micronaut..", "io.netty..", "org.reactivestreams.."};

  /** What an API says does not depend on how it is transported. */
  @ArchTest
  static final ArchRule theFormatsOfTheApisNeedNoServer =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.sluice.gateway.responses.chat..",
              "io.sluice.gateway.responses.event..",
              "io.sluice.gateway.responses.record..",
              "io.sluice.gateway.messages.chat..",
              "io.sluice.gateway.messages.answer..",
              "io.sluice.gateway.access.command..",
              "io.sluice.gateway.files",
              "io.sluice.gateway.files.form..")
          .or()
          .haveSimpleName("ChunkFrames")
          .or()
          .haveSimpleName("ApiKey")
          .or()
          .haveSimpleName("KeyRing")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SERVER);

  @ArchTest
  static final ArchRule theEndpointsDoNotKnowEachOther =
      slices()
          .matching("io.sluice.gateway.(responses|messages|attach|model)..")
          .should()
          .notDependOnEachOther()
          .ignoreDependency(
              io.sluice.gateway.pool.Served.class, io.sluice.gateway.model.FleetModels.class);

  @ArchTest
  static final ArchRule filesNeedNothingOfThePool =
      noClasses()
          .that()
          .resideInAPackage("io.sluice.gateway.files..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.sluice.gateway.responses..",
              "io.sluice.gateway.messages..",
              "io.sluice.gateway.attach..",
              "io.sluice.gateway.model..",
              "io.sluice.gateway.completion..",
              "io.sluice.gateway.pool..",
              "io.sluice.gateway.quota..",
              "io.sluice.gateway.app..",
              "io.sluice.producer..",
              "io.sluice.fleet..");

  @ArchTest
  static final ArchRule nothingUsesTheEndpointsOfFiles =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.sluice.gateway.files.api")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.sluice.gateway.files.api");

  /** Without one, a filter has no particular order. */
  @ArchTest
  static final ArchRule filtersNameTheirOrder =
      classes().that().areAnnotatedWith(ServerFilter.class).should().beAnnotatedWith(Order.class);

  @ArchTest
  static final ArchRule packagesFormNoCycles =
      slices().matching("io.sluice.gateway.(**)").should().beFreeOfCycles();
}
