package io.sluice.producer;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the SDK's packages to what each may know. */
@AnalyzeClasses(
    packages = "io.sluice.producer",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ROOT = "io.sluice.producer";
  private static final String KAFKA = "io.sluice.producer.kafka";
  private static final String FOLLOW = "io.sluice.producer.follow";
  private static final String REPLY = "io.sluice.producer.reply";
  private static final String STREAM = "io.sluice.producer.stream";
  private static final String ATTACH = "io.sluice.producer.attach";
  private static final String CLIENT = "io.sluice.producer.client";
  private static final String DEAD_LETTER = "io.sluice.producer.deadletter";
  private static final String ACL = "io.sluice.producer.acl";
  private static final String BATCH = "io.sluice.producer.batch";

  @ArchTest static final ArchRule theConfigurationStandsAlone = knowsOfTheSdkOnly(ROOT);

  @ArchTest static final ArchRule kafkaKnowsTheConfiguration = knowsOfTheSdkOnly(KAFKA, ROOT);

  @ArchTest static final ArchRule followersKnowNoStreams = knowsOfTheSdkOnly(FOLLOW, ROOT, KAFKA);

  @ArchTest static final ArchRule whatReadersGetStandsAlone = knowsOfTheSdkOnly(REPLY);

  @ArchTest static final ArchRule streamsKnowNoClient = knowsOfTheSdkOnly(STREAM, REPLY, FOLLOW);

  @ArchTest
  static final ArchRule attachedReadersKnowNoClient =
      knowsOfTheSdkOnly(ATTACH, KAFKA, FOLLOW, REPLY, STREAM);

  @ArchTest
  static final ArchRule theClientKnowsNoDeadLetters =
      knowsOfTheSdkOnly(CLIENT, ROOT, KAFKA, FOLLOW, REPLY, STREAM, ATTACH);

  @ArchTest
  static final ArchRule deadLettersNeedNoClient = knowsOfTheSdkOnly(DEAD_LETTER, ROOT, KAFKA);

  @ArchTest
  static final ArchRule batchJobsKnowTheClient = knowsOfTheSdkOnly(BATCH, ROOT, REPLY, CLIENT);

  @ArchTest static final ArchRule aclsNeedNoClient = knowsOfTheSdkOnly(ACL, ROOT, KAFKA);

  @ArchTest
  static final ArchRule batchJobsUseKafkaOnlyThroughTheClient =
      noClasses()
          .that()
          .resideInAPackage(BATCH)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..");

  @ArchTest
  static final ArchRule theSdkKnowsNothingOfTheCommandLine =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("picocli..", "me.tongfei..", "io.sluice.cli..");

  private static ArchRule knowsOfTheSdkOnly(String own, String... others) {
    return classes()
        .that()
        .resideInAPackage(own)
        .should()
        .onlyDependOnClassesThat(
            resideOutsideOfPackage("io.sluice.producer..")
                .or(resideInAnyPackage(own))
                .or(resideInAnyPackage(others)));
  }
}
