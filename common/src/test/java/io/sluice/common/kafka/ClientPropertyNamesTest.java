package io.sluice.common.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClientPropertyNamesTest {

  @Test
  void whatNoClientHasIsUnknown() {
    assertThat(
            ClientPropertyNames.unknownOf(
                List.of(
                    "security.protocol",
                    "sasl.jass.config",
                    "ssl.truststore.location",
                    "compression.type",
                    "group.id",
                    "config.providers",
                    "config.providers.file.class",
                    "kafka.sasl.mechanism")))
        .containsExactly("kafka.sasl.mechanism", "sasl.jass.config");
  }
}
