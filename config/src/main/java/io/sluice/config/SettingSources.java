package io.sluice.config;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where values come from: flags win over the environment, the environment over the file.
 *
 * @param flags by key
 * @param environment by variable
 * @param file by key
 */
public record SettingSources(
    Map<String, String> flags, Map<String, String> environment, Map<String, String> file) {

  /**
   * A value and where it was given.
   *
   * @param origin as a user would name it, e.g. {@code --threads} or {@code SLUICE_THREADS}
   */
  record Given(String text, String origin) {}

  public SettingSources {
    flags = Map.copyOf(flags);
    environment = Map.copyOf(environment);
    file = Map.copyOf(file);
  }

  /** Values by key that a program gives; they count as flags. */
  public static SettingSources of(Map<String, String> values) {
    return new SettingSources(values, Map.of(), Map.of());
  }

  /** An empty environment variable counts as not set; an empty flag is a value. */
  Optional<Given> find(SettingSpec setting) {
    for (String name : names(setting)) {
      String flag = flags.get(name);
      if (flag != null) {
        return Optional.of(new Given(flag.strip(), "--" + name));
      }
    }
    String variable = environment.getOrDefault(setting.environment(), "").strip();
    if (!variable.isEmpty()) {
      return Optional.of(new Given(variable, setting.environment()));
    }
    String entry = file.get(setting.key());
    return entry == null
        ? Optional.empty()
        : Optional.of(new Given(entry.strip(), "'" + setting.key() + "' in the file"));
  }

  private static List<String> names(SettingSpec setting) {
    return Stream.concat(Stream.of(setting.key()), Arrays.stream(setting.declaration().aliases()))
        .toList();
  }
}
