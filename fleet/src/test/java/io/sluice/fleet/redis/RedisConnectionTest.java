package io.sluice.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisConnectionTest {

  @ParameterizedTest
  @CsvSource({
    "redis://127.0.0.1:16379, redis://127.0.0.1:16379",
    "redis://me:secret@redis:6379/2, redis://redis:6379/2",
    "rediss://:secret@redis:6379, rediss://redis:6379",
    "redis://me:se@cret^%@redis:6379, redis://redis:6379",
    "me:secret@redis:6379, redis:6379"
  })
  void anAddressIsShownWithoutItsPassword(String uri, String shown) {
    assertThat(RedisConnection.shown(uri)).isEqualTo(shown);
  }
}
