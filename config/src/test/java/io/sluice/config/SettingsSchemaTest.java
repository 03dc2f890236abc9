package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SettingsSchemaTest {
  private static final String ENGINE = "http://127.0.0.1:8000";

  @Test
  void everyTypeIsReadAndDefaultsFillTheRest() {
    ExampleConfig config =
        ExampleConfig.SCHEMA.read(
            SettingSources.of(
                Map.of(
                    "engine-url", ENGINE,
                    "names", "a, b",
                    "sizes", "1, 2",
                    "mood", "cold",
                    "chatty", "true",
                    "password", "secret",
                    "folder", "data")));

    assertThat(config)
        .isEqualTo(
            new ExampleConfig(
                Optional.empty(),
                2,
                Duration.ofSeconds(30),
                URI.create(ENGINE),
                List.of("a", "b"),
                List.of(1, 2),
                ExampleConfig.Mood.COLD,
                new ExampleConfig.Inner(
                    true,
                    Optional.of(new ExampleConfig.Word("secret")),
                    0.5,
                    Optional.of(Path.of("data")))));
  }

  @Test
  void aFlagWinsOverTheEnvironmentAndTheEnvironmentOverTheFile() {
    Map<String, String> file = Map.of("threads", "3", "max-wait", "5", "engine-url", ENGINE);
    Map<String, String> environment =
        Map.of("EXAMPLE_THREADS", "4", "EXAMPLE_MAX_WAIT_SECONDS", "6", "UNRELATED", "x");

    ExampleConfig config =
        ExampleConfig.SCHEMA.read(new SettingSources(Map.of("threads", "5"), environment, file));

    assertThat(config.threads()).isEqualTo(5);
    assertThat(config.maxWait()).isEqualTo(Duration.ofSeconds(6));
    assertThat(config.engine()).isEqualTo(URI.create(ENGINE));
  }

  @Test
  void anEmptyVariableCountsAsNotSet() {
    ExampleConfig config =
        ExampleConfig.SCHEMA.read(
            new SettingSources(Map.of("engine", ENGINE), Map.of("EXAMPLE_THREADS", " "), Map.of()));

    assertThat(config.threads()).isEqualTo(2);
  }

  @Test
  void allProblemsAreToldAtOnceEachWithItsOriginAndWhatIsExpected() {
    var sources =
        new SettingSources(
            Map.of("threads", "0", "mood", "hot", "share", "x"),
            Map.of("EXAMPLE_MAX_WAIT_SECONDS", "-5", "EXAMPLE_PASSWORD", "a b"),
            Map.of("colour", "red", "chatty", "perhaps"));

    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class, () -> ExampleConfig.SCHEMA.read(sources));

    assertThat(thrown.problems())
        .containsExactlyInAnyOrder(
            "a example has no setting 'colour'",
            "--threads is '0', but must be a whole number from 1 to 64",
            "EXAMPLE_MAX_WAIT_SECONDS is '-5', but must be a number from 0 to 3600 (s)",
            "--engine-url is missing: give it, or set EXAMPLE_ENGINE_URL",
            "--mood is 'hot', but must be one of cold, warm",
            "'chatty' in the file is 'perhaps', but must be true or false",
            "EXAMPLE_PASSWORD is '********', but is not valid: it has a space",
            "--share is 'x', but must be a number from 0 to 1 (%)");
  }

  @Test
  void everyElementOfAListThatIsWrongIsTold() {
    var sources = SettingSources.of(Map.of("engine", ENGINE, "sizes", "0,2,x"));

    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class, () -> ExampleConfig.SCHEMA.read(sources));

    assertThat(thrown.problems())
        .containsExactly(
            "--sizes is '0,2,x', but '0' must be a whole number of at least 1; 'x' must be a whole"
                + " number of at least 1");
  }

  @Test
  void whatARecordRefusesIsAProblemToo() {
    var sources = SettingSources.of(Map.of("engine", ENGINE, "chatty", "true", "share", "1"));

    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class, () -> ExampleConfig.SCHEMA.read(sources));

    assertThat(thrown.problems()).containsExactly("--chatty needs a --share of at most 0.9");
  }

  @Test
  void effectiveSettingsSayWhereTheyComeFromAndMaskSecrets() {
    var sources =
        new SettingSources(
            Map.of("engine", ENGINE), Map.of("EXAMPLE_PASSWORD", "x"), Map.of("threads", "3"));

    assertThat(ExampleConfig.SCHEMA.effective(sources))
        .extracting(
            setting -> setting.setting().key() + "=" + setting.value() + " " + setting.origin())
        .contains(
            "engine-url=" + ENGINE + " --engine",
            "password=******** EXAMPLE_PASSWORD",
            "threads=3 'threads' in the file",
            "max-wait=30 default");
  }
}
