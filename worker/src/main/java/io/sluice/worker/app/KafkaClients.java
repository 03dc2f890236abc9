package io.sluice.worker.app;

import io.micronaut.configuration.kafka.config.KafkaConsumerConfiguration;
import io.micronaut.configuration.kafka.config.KafkaProducerConfiguration;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.sluice.worker.config.WorkerConfig;
import jakarta.inject.Singleton;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/** Creates Kafka clients as micronaut-kafka configures them. The caller closes them. */
@Requires(beans = WorkerConfig.class)
@Singleton
final class KafkaClients {
  private final BeanContext context;

  KafkaClients(BeanContext context) {
    this.context = context;
  }

  @SuppressWarnings("unchecked") // its deserializers are those of ContextProperties
  Consumer<String, byte[]> consumer(String name) {
    var configuration = context.getBean(KafkaConsumerConfiguration.class, Qualifiers.byName(name));
    return context.createBean(Consumer.class, configuration);
  }

  @SuppressWarnings("unchecked") // its serializers are those of ContextProperties
  Producer<String, byte[]> producer(String name) {
    var configuration = context.getBean(KafkaProducerConfiguration.class, Qualifiers.byName(name));
    return context.createBean(Producer.class, configuration);
  }
}
