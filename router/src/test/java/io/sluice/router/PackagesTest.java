package io.sluice.router;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.router.app.Router;
import io.sluice.router.request.RequestState;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Holds the router's packages to what each may know. */
@AnalyzeClasses(packages = "io.sluice.router", importOptions = DoNotIncludeTests.class)
class PackagesTest {
  private static final String POLICY = "io.sluice.router.policy..";
  private static final String PREFIX = "io.sluice.router.prefix..";
  private static final String CLASSIFY = "io.sluice.router.classify..";
  private static final String FLEET = "io.sluice.router.fleet..";
  private static final String REQUEST = "io.sluice.router.request..";
  private static final String CATALOG = "io.sluice.router.catalog..";
  private static final String PARSE = "io.sluice.router.parse..";
  private static final String QUEUE = "io.sluice.router.queue..";
  private static final String LEASE = "io.sluice.router.lease..";
  private static final String PLACEMENT = "io.sluice.router.placement..";
  private static final String SCHEDULE = "io.sluice.router.schedule..";
  private static final String CLOCK = "io.sluice.router.clock..";
  private static final String TOPIC = "io.sluice.router.topic..";
  private static final String WRITE = "io.sluice.router.write..";
  private static final String LOG = "io.sluice.router.log..";
  private static final String STREAM = "io.sluice.router.stream..";
  private static final String PEERS = "io.sluice.router.peers..";
  private static final String BULK = "io.sluice.router.bulk..";
  private static final String EXPLAIN = "io.sluice.router.explain..";
  private static final String TRACE = "io.sluice.router.trace..";
  private static final String DEMAND = "io.sluice.router.demand..";
  private static final String REPORT = "io.sluice.router.report..";
  private static final String THREAD = "io.sluice.router.thread..";
  private static final String APP = "io.sluice.router.app..";
  private static final String COMMON = "io.sluice.common..";
  private static final String FLEET_STATE = "io.sluice.fleet..";

  @ArchTest
  static final ArchRule onlyTheAssemblyKnowsTheFramework =
      noClasses()
          .that()
          .resideOutsideOfPackage(APP)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micronaut..", "jakarta.inject..");

  /** Every arrow between two packages; what is not listed here is not allowed. */
  @ArchTest
  static final ArchRule arrowsPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .ensureAllClassesAreContainedInArchitecture()
          .layer("prefix")
          .definedBy(PREFIX)
          .layer("classify")
          .definedBy(CLASSIFY)
          .layer("fleet")
          .definedBy(FLEET)
          .layer("clock")
          .definedBy(CLOCK)
          .layer("policy")
          .definedBy(POLICY)
          .layer("peers")
          .definedBy(PEERS)
          .layer("request")
          .definedBy(REQUEST)
          .layer("catalog")
          .definedBy(CATALOG)
          .layer("parse")
          .definedBy(PARSE)
          .layer("queue")
          .definedBy(QUEUE)
          .layer("lease")
          .definedBy(LEASE)
          .layer("placement")
          .definedBy(PLACEMENT)
          .layer("schedule")
          .definedBy(SCHEDULE)
          .layer("topic")
          .definedBy(TOPIC)
          .layer("write")
          .definedBy(WRITE)
          .layer("log")
          .definedBy(LOG)
          .layer("stream")
          .definedBy(STREAM)
          .layer("bulk")
          .definedBy(BULK)
          .layer("explain")
          .definedBy(EXPLAIN)
          .layer("demand")
          .definedBy(DEMAND)
          .layer("report")
          .definedBy(REPORT)
          .layer("trace")
          .definedBy(TRACE)
          .layer("thread")
          .definedBy(THREAD)
          .layer("app")
          .definedBy(APP)
          .whereLayer("prefix")
          .mayNotAccessAnyLayer()
          .whereLayer("classify")
          .mayNotAccessAnyLayer()
          .whereLayer("fleet")
          .mayNotAccessAnyLayer()
          .whereLayer("clock")
          .mayNotAccessAnyLayer()
          .whereLayer("demand")
          .mayNotAccessAnyLayer()
          .whereLayer("thread")
          .mayNotAccessAnyLayer()
          .whereLayer("policy")
          .mayOnlyAccessLayers("prefix")
          .whereLayer("peers")
          .mayOnlyAccessLayers("policy", "prefix", "fleet", "thread")
          .whereLayer("request")
          .mayOnlyAccessLayers("policy", "prefix", "classify")
          .whereLayer("catalog")
          .mayOnlyAccessLayers("request", "fleet")
          .whereLayer("parse")
          .mayOnlyAccessLayers("request", "catalog", "classify", "prefix")
          .whereLayer("queue")
          .mayOnlyAccessLayers("request", "classify", "demand")
          .whereLayer("lease")
          .mayOnlyAccessLayers("request", "fleet")
          .whereLayer("placement")
          .mayOnlyAccessLayers(
              "request",
              "queue",
              "catalog",
              "parse",
              "demand",
              "lease",
              "policy",
              "prefix",
              "classify",
              "fleet",
              "peers")
          .whereLayer("schedule")
          .mayOnlyAccessLayers(
              "request",
              "catalog",
              "parse",
              "queue",
              "lease",
              "placement",
              "policy",
              "prefix",
              "classify",
              "fleet")
          .whereLayer("topic")
          .mayOnlyAccessLayers("catalog", "fleet")
          .whereLayer("write")
          .mayOnlyAccessLayers("catalog")
          .whereLayer("log")
          .mayOnlyAccessLayers("request", "clock", "thread")
          .whereLayer("stream")
          .mayOnlyAccessLayers("schedule", "lease", "parse", "request", "log", "write", "clock")
          .whereLayer("bulk")
          .mayOnlyAccessLayers(
              "queue",
              "placement",
              "parse",
              "request",
              "policy",
              "prefix",
              "fleet",
              "clock",
              "demand",
              "thread")
          .whereLayer("explain")
          .mayOnlyAccessLayers("schedule", "request", "policy", "thread")
          .whereLayer("report")
          .mayOnlyAccessLayers(
              "schedule", "queue", "demand", "catalog", "request", "classify", "fleet")
          .whereLayer("trace")
          .mayOnlyAccessLayers("schedule", "request")
          .whereLayer("app")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule theSchedulerHasThreeLayers =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("schedule")
          .definedBy("io.sluice.router.schedule")
          .layer("dispatch")
          .definedBy("io.sluice.router.schedule.dispatch")
          .layer("task")
          .definedBy("io.sluice.router.schedule.task")
          .whereLayer("task")
          .mayNotAccessAnyLayer()
          .whereLayer("dispatch")
          .mayOnlyAccessLayers("task");

  @ArchTest
  static final ArchRule thePolicyIsPure =
      classes()
          .that()
          .resideInAPackage(POLICY)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(POLICY, PREFIX, COMMON, FLEET_STATE, "java..", "org.jspecify..");

  @ArchTest
  static final ArchRule prefixesArePure =
      classes()
          .that()
          .resideInAPackage(PREFIX)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(PREFIX, COMMON, "java..", "org.jspecify..");

  @ArchTest
  static final ArchRule theClassifierIsPure =
      classes()
          .that()
          .resideInAPackage(CLASSIFY)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              CLASSIFY, COMMON, "java..", "com.fasterxml.jackson..", "org.jspecify..");

  @ArchTest
  static final ArchRule theFleetViewNeedsNoFramework =
      classes()
          .that()
          .resideInAPackage(FLEET)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              FLEET, COMMON, FLEET_STATE, "java..", "org.slf4j..", "org.jspecify..");

  @ArchTest
  static final ArchRule whatRoutersTellEachOtherNeedsNoFramework =
      classes()
          .that()
          .resideInAPackage(PEERS)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              PEERS,
              POLICY,
              PREFIX,
              FLEET,
              THREAD,
              COMMON,
              FLEET_STATE,
              "java..",
              "org.slf4j..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule theSchedulerNeedsNoFramework =
      classes()
          .that()
          .resideInAnyPackage(REQUEST, CATALOG, PARSE, DEMAND, QUEUE, LEASE, PLACEMENT, SCHEDULE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              REQUEST,
              CATALOG,
              PARSE,
              DEMAND,
              QUEUE,
              LEASE,
              PLACEMENT,
              SCHEDULE,
              CLASSIFY,
              POLICY,
              PREFIX,
              FLEET,
              PEERS,
              COMMON,
              FLEET_STATE,
              "java..",
              "com.fasterxml.jackson..",
              "org.apache.kafka.common.header..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule tracesNeedNoFramework =
      classes()
          .that()
          .resideInAPackage(TRACE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(TRACE, SCHEDULE, REQUEST, COMMON, "java..", "org.jspecify..");

  /** A state is reached by a transition, which is a method of the state before it. */
  @ArchTest
  static final ArchRule onlyTransitionsMakeStates =
      noClasses()
          .that()
          .resideOutsideOfPackage(REQUEST)
          .should()
          .callConstructorWhere(target(owner(assignableTo(RequestState.class))));

  @ArchTest
  static final ArchRule theSchedulerKnowsNoClockButItsArgument =
      noClasses()
          .that()
          .resideInAnyPackage(
              POLICY, PREFIX, CLASSIFY, PEERS, REQUEST, CATALOG, PARSE, DEMAND, QUEUE, LEASE,
              PLACEMENT, SCHEDULE)
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  /** Of whose clock nothing may depend: see {@code PoolClock}. */
  @ArchTest
  static final ArchRule onlyTheRoutersStartReadsTheWallClock =
      noClasses()
          .that()
          .doNotBelongToAnyOf(Router.class)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethodWhere(target(name("currentSystemTimeMs")))
          .orShould()
          .callMethodWhere(
              target(owner(assignableTo(Clock.class))).and(target(nameStartingWith("system"))));

  @ArchTest
  static final ArchRule onlyThePoolClockAsksTheWallClock =
      noClasses()
          .that()
          .resideOutsideOfPackages(APP, CLOCK)
          .should()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  @ArchTest
  static final ArchRule nothingUsesTheAssemblyButItself =
      noClasses()
          .that()
          .resideOutsideOfPackage(APP)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(APP);

  /** A plain executor ends a periodic task unseen after anything that the task throws. */
  @ArchTest
  static final ArchRule onlyRepeatingThreadsRepeatTasks =
      noClasses()
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(ScheduledExecutorService.class, ScheduledThreadPoolExecutor.class);

  @ArchTest
  static final ArchRule streamsAndTheBulkFeederDoNotKnowEachOther =
      noClasses()
          .that()
          .resideInAnyPackage(STREAM, LOG, WRITE, TOPIC)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(BULK);

  @ArchTest
  static final ArchRule theBulkFeederNeedsNoStreams =
      noClasses()
          .that()
          .resideInAPackage(BULK)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(STREAM, LOG, WRITE, TOPIC, "org.apache.kafka.streams..");
}
