package io.sluice.fleet;

import io.sluice.config.PropertiesFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Properties for every Kafka client of a service, such as those for security.
 *
 * @param entries by Kafka's own keys
 */
public record KafkaProperties(Map<String, String> entries) {
  /** No properties: a Kafka without security. */
  public static final KafkaProperties NONE = new KafkaProperties(Map.of());

  public KafkaProperties {
    entries = Map.copyOf(entries);
  }

  /**
   * Reads them from a properties file.
   *
   * @param file its path; empty for no file
   * @throws IllegalArgumentException if the file cannot be read
   */
  public static KafkaProperties parse(String file) {
    if (file.isEmpty()) {
      return NONE;
    }
    try {
      return new KafkaProperties(PropertiesFile.read(Path.of(file)));
    } catch (IOException e) {
      throw new IllegalArgumentException("the file cannot be read: " + e.getMessage(), e);
    }
  }

  /** Values are not shown: they hold passwords. */
  @Override
  public String toString() {
    return "KafkaProperties" + entries.keySet();
  }
}
