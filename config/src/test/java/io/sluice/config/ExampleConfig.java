package io.sluice.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Settings of every kind. */
@Settings(service = "example", environmentPrefix = "EXAMPLE_")
record ExampleConfig(
    @Setting(otherwise = "the host's name", meaning = "The name of this `example`.")
        Optional<String> id,
    @Setting(defaultValue = "2", min = 1, max = 64, meaning = "Threads.") int threads,
    @Setting(
            defaultValue = "30",
            unit = "s",
            min = 0,
            max = 3600,
            environment = "EXAMPLE_MAX_WAIT_SECONDS",
            meaning = "The longest wait.")
        Duration maxWait,
    @Setting(key = "engine-url", aliases = "engine", unit = "URL", meaning = "The engine.")
        URI engine,
    @Setting(meaning = "Names to serve.") List<String> names,
    @Setting(min = 1, meaning = "Sizes to try.") List<Integer> sizes,
    @Setting(defaultValue = "warm", meaning = "A word.") Mood mood,
    Inner inner) {

  static final SettingsSchema<ExampleConfig> SCHEMA = SettingsSchema.of(ExampleConfig.class);

  enum Mood {
    COLD,
    WARM
  }

  record Inner(
      @Setting(meaning = "Says more.") boolean chatty,
      @Setting(secret = true, meaning = "A secret.") Optional<Word> password,
      @Setting(defaultValue = "0.5", unit = "%", min = 0, max = 1, meaning = "A share.")
          double share,
      @Setting(meaning = "A folder.") Optional<Path> folder) {
    Inner {
      if (chatty && share > 0.9) {
        throw new IllegalArgumentException("--chatty needs a --share of at most 0.9");
      }
    }
  }

  /** A type with its own way to be read. */
  record Word(String text) {
    public static Word parse(String text) {
      if (text.contains(" ")) {
        throw new IllegalArgumentException("it has a space");
      }
      return new Word(text);
    }
  }
}
