package io.sluice.bench.torture;

import io.sluice.standalone.kafka.ClusterMember;
import io.sluice.standalone.kafka.EmbeddedKafka;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * One Kafka node as a process of its own. Arguments: node id, cluster id, port, data directory, the
 * controllers as {@code id=port,...}, then server properties as {@code name=value}.
 */
public final class BrokerMain {
  private static final int FIXED_ARGUMENTS = 5;

  private BrokerMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    Map<Integer, Integer> controllers =
        pairs(arguments[4].split(",")).entrySet().stream()
            .collect(
                Collectors.toMap(
                    node -> Integer.valueOf(node.getKey()),
                    node -> Integer.valueOf(node.getValue())));
    var member =
        new ClusterMember(
            Integer.parseInt(arguments[0]),
            arguments[1],
            controllers,
            pairs(Arrays.copyOfRange(arguments, FIXED_ARGUMENTS, arguments.length)));
    EmbeddedKafka kafka =
        EmbeddedKafka.start(
            new EmbeddedKafka.Config(
                Integer.parseInt(arguments[2]),
                Optional.of(Path.of(arguments[3])),
                Optional.of(member)));
    var stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  kafka.close();
                  stopped.countDown();
                },
                "broker-stop"));
    System.out.println("broker ready at " + kafka.bootstrapServers());
    stopped.await();
  }

  private static Map<String, String> pairs(String... settings) {
    return Arrays.stream(settings)
        .map(setting -> setting.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }
}
