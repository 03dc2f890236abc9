package io.sluice.simulator;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

@AnalyzeClasses(
    packages = "io.sluice.simulator",
    importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRulesTest {

  private static final String ROOT = "io.sluice.simulator";

  @ArchTest
  static final ArchRule theEngineAndItsTextUseNoFramework =
      classes()
          .that()
          .resideInAnyPackage("..simulator.engine..", "..simulator.text")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.sluice.simulator.engine..",
              "io.sluice.simulator.text",
              "java..",
              "org.jspecify..",
              "com.knuddels.jtokkit..");

  @ArchTest
  static final ArchRule theEngineHasNoClockAndNoThread =
      noClasses()
          .that()
          .resideInAPackage("..simulator.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.util.concurrent..", "java.time..");

  @ArchTest
  static final ArchRule onlyTheHttpPackageKnowsNetty =
      noClasses()
          .that()
          .resideOutsideOfPackage("..simulator.http")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule onlyTheCommandsReadSettings =
      noClasses()
          .that()
          .resideOutsideOfPackage("..simulator.command")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.sluice.config..");

  /**
   * The packages of this module that each package may use. The empty name is the root, which
   * assembles the engine. A package that is not listed fails the test.
   */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("text", Set.of()),
          Map.entry("structured", Set.of()),
          Map.entry("release", Set.of()),
          Map.entry("fault", Set.of()),
          Map.entry("http", Set.of()),
          Map.entry("engine.timing", Set.of()),
          Map.entry("engine", Set.of("engine.timing", "text")),
          Map.entry("fit", Set.of("engine", "engine.timing", "text")),
          Map.entry("metrics", Set.of("engine", "release")),
          Map.entry("admin", Set.of("fault")),
          Map.entry("serving", Set.of("engine", "engine.timing", "metrics", "text")),
          Map.entry("openai.request", Set.of("engine", "release", "serving", "structured", "text")),
          Map.entry(
              "openai.response", Set.of("engine", "openai.request", "release", "serving", "text")),
          Map.entry(
              "endpoint",
              Set.of(
                  "engine",
                  "fault",
                  "http",
                  "metrics",
                  "openai.request",
                  "openai.response",
                  "serving",
                  "text")),
          Map.entry(
              "",
              Set.of(
                  "admin",
                  "endpoint",
                  "engine",
                  "engine.timing",
                  "fault",
                  "http",
                  "metrics",
                  "openai.request",
                  "release",
                  "serving",
                  "text")),
          Map.entry("command", Set.of("", "engine", "engine.timing", "fault", "fit", "release")));

  @ArchTest
  static void eachPackageKnowsOnlyWhatItMay(JavaClasses all) {
    ARROWS.forEach(
        (name, known) -> {
          String[] allowed =
              Stream.concat(Stream.of(name), known.stream())
                  .map(PackageRulesTest::full)
                  .toArray(String[]::new);
          classes()
              .that()
              .resideInAPackage(full(name))
              .should()
              .onlyDependOnClassesThat(
                  resideInAnyPackage(allowed).or(resideOutsideOfPackage(ROOT + "..")))
              .check(all);
        });
  }

  @ArchTest
  static void eachPackageIsListed(JavaClasses all) {
    assertThat(ARROWS.keySet().stream().map(PackageRulesTest::full))
        .containsExactlyInAnyOrderElementsOf(
            all.stream().map(JavaClass::getPackageName).collect(toSet()));
  }

  private static String full(String name) {
    return name.isEmpty() ? ROOT : ROOT + "." + name;
  }
}
