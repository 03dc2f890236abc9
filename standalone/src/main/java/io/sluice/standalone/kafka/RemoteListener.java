package io.sluice.standalone.kafka;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * A listener of the embedded node for clients on other machines. They need a password. The password
 * and what they send are not encrypted. A client with the password may do everything.
 *
 * @param host an address of this machine, or a name for one, by which the clients reach it
 * @param port a port of that address
 */
public record RemoteListener(String host, int port, String user, String password) {
  private static final String NAME = "REMOTE";
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required";

  /** Returns its address for clients, {@code host:port}. */
  public String bootstrapServers() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Returns the properties that Kafka's clients need for it, apart from the address. */
  public Map<String, String> clientProperties() {
    return Map.of(
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        "%s username=\"%s\" password=\"%s\";".formatted(LOGIN, user, password));
  }

  /** Adds it to the server properties of a node. */
  void addTo(Properties settings) {
    append(settings, "listeners", "%s://%s".formatted(NAME, bootstrapServers()));
    append(settings, "listener.security.protocol.map", NAME + ":SASL_PLAINTEXT");
    settings.setProperty("sasl.enabled.mechanisms", "PLAIN");
    settings.setProperty(
        "listener.name.%s.plain.sasl.jaas.config".formatted(NAME.toLowerCase(Locale.ROOT)),
        "%s user_%s=\"%s\";".formatted(LOGIN, user, password));
  }

  private static void append(Properties settings, String key, String value) {
    settings.setProperty(key, settings.getProperty(key) + "," + value);
  }

  /** Does not show the password. */
  @Override
  public String toString() {
    return "%s at %s".formatted(user, bootstrapServers());
  }
}
