package io.sluice.standalone.kafka;

import io.sluice.standalone.backend.LocalPort;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/**
 * One node among those of a cluster on this machine.
 *
 * @param nodeId one of the keys of {@code controllerPorts}
 * @param clusterId the same for all of them, a base64 UUID
 * @param controllerPorts where each node's controller listens, by node id
 * @param settings further server properties, which go before those of the embedded node
 */
public record ClusterMember(
    int nodeId,
    String clusterId,
    Map<Integer, Integer> controllerPorts,
    Map<String, String> settings) {

  /** The most replicas that a topic of Kafka's own has. */
  private static final int MOST_REPLICAS = 3;

  public ClusterMember {
    controllerPorts = Map.copyOf(controllerPorts);
    settings = Map.copyOf(settings);
    if (!controllerPorts.containsKey(nodeId)) {
      throw new IllegalArgumentException(
          "node %d is not among the nodes %s".formatted(nodeId, controllerPorts.keySet()));
    }
  }

  static ClusterMember alone(int controllerPort, Uuid clusterId) {
    return new ClusterMember(1, clusterId.toString(), Map.of(1, controllerPort), Map.of());
  }

  int controllerPort() {
    return controllerPorts.getOrDefault(nodeId, 0);
  }

  /** Replicas of topics that do not say how many. */
  int replicas() {
    return Math.min(MOST_REPLICAS, controllerPorts.size());
  }

  /** How many of three must have a record; one of fewer. */
  int inSyncReplicas() {
    return replicas() == MOST_REPLICAS ? 2 : 1;
  }

  /** The static quorum. */
  String voters() {
    return controllerPorts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(node -> "%d@%s:%d".formatted(node.getKey(), LocalPort.HOST, node.getValue()))
        .collect(Collectors.joining(","));
  }
}
