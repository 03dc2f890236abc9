package io.sluice.standalone.pool;

import io.sluice.config.StopSignal;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.kafka.FatalFaults;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Runs a Kafka node in a process of its own, which can be frozen. Arguments: {@code kafka}, its
 * port and its data directory.
 */
final class KafkaMain {
  private KafkaMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    FatalFaults.announce(Optional::empty);
    EmbeddedKafka kafka =
        EmbeddedKafka.start(
            new EmbeddedKafka.Config(
                Integer.parseInt(arguments[1]), Optional.of(Path.of(arguments[2]))));
    StopSignal stop = StopSignal.running(kafka::close);
    System.out.println("kafka ready");
    stop.await();
  }
}
