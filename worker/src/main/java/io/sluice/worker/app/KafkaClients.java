package io.sluice.worker.app;

import io.micronaut.configuration.kafka.config.AbstractKafkaConfiguration;
import io.micronaut.configuration.kafka.config.KafkaConsumerConfiguration;
import io.micronaut.configuration.kafka.config.KafkaProducerConfiguration;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.sluice.fleet.PoolSettings;
import io.sluice.worker.config.WorkerConfig;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Creates Kafka clients as micronaut-kafka configures them, with the properties of {@code
 * --kafka-config} as they are in the file: Micronaut would replace what looks like a placeholder in
 * a password. The caller closes them.
 */
@Requires(beans = WorkerConfig.class)
@Singleton
final class KafkaClients {
  private final BeanContext context;
  private final PoolSettings pool;

  KafkaClients(BeanContext context, WorkerConfig config) {
    this.context = context;
    this.pool = config.pool();
  }

  AdminClient admin() {
    Map<String, Object> properties = new HashMap<>(pool.kafkaProperties().entries());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, pool.kafka());
    return AdminClient.create(properties);
  }

  @SuppressWarnings("unchecked") // its deserializers are those of ContextProperties
  Consumer<String, byte[]> consumer(String name) {
    var configuration = context.getBean(KafkaConsumerConfiguration.class, Qualifiers.byName(name));
    withFile(configuration);
    return context.createBean(Consumer.class, configuration);
  }

  @SuppressWarnings("unchecked") // its serializers are those of ContextProperties
  Producer<String, byte[]> producer(String name) {
    var configuration = context.getBean(KafkaProducerConfiguration.class, Qualifiers.byName(name));
    withFile(configuration);
    return context.createBean(Producer.class, configuration);
  }

  private void withFile(AbstractKafkaConfiguration<?, ?> configuration) {
    pool.kafkaProperties().entries().forEach(configuration.getConfig()::putIfAbsent);
  }
}
