package io.sluice.standalone.kafka;

import io.sluice.standalone.backend.LocalPort;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/**
 * A node of a cluster on this machine.
 *
 * @param nodeId one of the keys of {@code controllerPorts}
 * @param clusterId the same for all nodes, a base64 UUID
 * @param controllerPorts the port of each node's controller, by node id
 * @param settings further server properties, which override those of the embedded node
 */
public record ClusterMember(
    int nodeId,
    String clusterId,
    Map<Integer, Integer> controllerPorts,
    Map<String, String> settings) {

  /** The maximum number of replicas of Kafka's internal topics. */
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

  /** Returns the default replication factor. */
  int replicas() {
    return Math.min(MOST_REPLICAS, controllerPorts.size());
  }

  /** Returns the number of replicas that must have a record: two of three, one of fewer. */
  int inSyncReplicas() {
    return replicas() == MOST_REPLICAS ? 2 : 1;
  }

  /** Returns the static quorum. */
  String voters() {
    return controllerPorts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(node -> "%s@%s:%s".formatted(node.getKey(), LocalPort.HOST, node.getValue()))
        .collect(Collectors.joining(","));
  }
}
