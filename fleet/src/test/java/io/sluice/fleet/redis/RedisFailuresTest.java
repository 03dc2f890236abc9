package io.sluice.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RScript;
import org.redisson.client.RedisTimeoutException;

class RedisFailuresTest {

  @Test
  void whatRedisSaysOfAScriptIsToldWithoutTheScript() {
    String script = "local secret = 'source'\nreturn redis.call('GET')";

    try (var redis = new TestRedis()) {
      CompletionStage<String> call =
          RedisCalls.run(
              redis.client(), script, RScript.ReturnType.VALUE, List.of("key"), "argument");

      assertThatThrownBy(() -> call.toCompletableFuture().get(10, TimeUnit.SECONDS))
          .cause()
          .message()
          .startsWith("ERR ")
          .doesNotContain("source")
          .doesNotContain("argument")
          .doesNotContain("channel");
    }
  }

  @Test
  void aClientWithoutAnAnswerDoesNotShowItsState() {
    var failure =
        new CompletionException(
            new RedisTimeoutException("Command execution timeout for command: (EVALSHA), params:"));

    assertThat(RedisFailures.plain(failure)).hasMessage("no answer in time");
  }

  @Test
  void otherFailuresAreLeftAlone() {
    var failure = new IOException("Connection refused");

    assertThat(RedisFailures.plain(failure)).isSameAs(failure);
  }
}
