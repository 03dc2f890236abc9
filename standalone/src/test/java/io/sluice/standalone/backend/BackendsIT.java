package io.sluice.standalone.backend;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedBackends.class)
class BackendsIT {

  @Test
  void redisGoesAwayAndComesBackAtTheSameAddress(Backends backends) throws Exception {
    // Given
    URI address = URI.create(backends.redisUri());
    assertThat(ping(address)).isEqualTo("+PONG");

    // When
    backends.stopRedis();
    try {
      // Then
      assertThatThrownBy(() -> ping(address)).isInstanceOf(IOException.class);
    } finally {
      backends.startRedis();
    }
    assertThat(ping(URI.create(backends.redisUri()))).isEqualTo("+PONG");
    assertThat(URI.create(backends.redisUri())).isEqualTo(address);
  }

  @Test
  void kafkaGoesAwayAndComesBackWithItsTopicsAtTheSameAddress(Backends backends) throws Exception {
    // Given
    String address = backends.kafkaBootstrapServers();
    String topic = "backends-" + UUID.randomUUID();
    try (var admin = admin(address)) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get(10, SECONDS);
    }

    // When
    backends.stopKafka();
    try {
      // Then
      assertThatThrownBy(() -> topics(address)).isInstanceOf(Exception.class);
    } finally {
      backends.startKafka();
    }
    assertThat(backends.kafkaBootstrapServers()).isEqualTo(address);
    assertThat(topics(address)).contains(topic);
  }

  private static Set<String> topics(String address) throws Exception {
    try (var admin = admin(address)) {
      return admin.listTopics().names().get(10, SECONDS);
    }
  }

  private static Admin admin(String address) {
    return Admin.create(
        Map.<String, Object>of(
            "bootstrap.servers", address,
            "request.timeout.ms", 2_000,
            "default.api.timeout.ms", 3_000));
  }

  private static String ping(URI address) throws IOException {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), 1_000);
      socket.setSoTimeout(1_000);
      socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII);
    }
  }
}
