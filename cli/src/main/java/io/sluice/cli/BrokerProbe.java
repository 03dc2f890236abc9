package io.sluice.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Detects immediately that no broker is listening; a Kafka client would retry for seconds. It only
 * reports what is certain: addresses that it does not understand, or that respond slowly, are left
 * to Kafka.
 */
final class BrokerProbe {
  private static final int CONNECT_MILLIS = 1_000;

  private BrokerProbe() {}

  /** Returns whether every broker refuses connections. */
  static boolean isRefused(String bootstrapServers) {
    for (String address : bootstrapServers.split(",", -1)) {
      if (!isRefusing(address.strip())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isRefusing(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      return false;
    }
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
          CONNECT_MILLIS);
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }
}
