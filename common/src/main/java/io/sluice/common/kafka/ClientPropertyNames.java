package io.sluice.common.kafka;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The names of the properties of Kafka's clients. */
public final class ClientPropertyNames {
  private static final Set<String> KNOWN = known();

  /** Providers of secrets have parameters with names of their own. */
  private static final String PROVIDERS_PREFIX = "config.providers";

  private ClientPropertyNames() {}

  /**
   * Returns the names that no consumer, producer or admin client has, sorted. Kafka ignores such
   * properties without an error, so a misspelled one leaves a client without its security.
   */
  public static List<String> unknownOf(Collection<String> names) {
    return names.stream()
        .filter(name -> !KNOWN.contains(name) && !name.startsWith(PROVIDERS_PREFIX))
        .sorted()
        .toList();
  }

  private static Set<String> known() {
    Set<String> names = new HashSet<>(AdminClientConfig.configNames());
    names.addAll(ConsumerConfig.configNames());
    names.addAll(ProducerConfig.configNames());
    return Set.copyOf(names);
  }
}
