package io.sluice.worker.notice;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The interruption notice of an EC2 spot instance, two minutes before it ends, from the instance
 * metadata service with a session token (IMDSv2). Source: "Spot Instance interruption notices" in
 * the EC2 user guide.
 */
final class AwsNotice implements NoticeSource {
  private static final String TOKEN_SECONDS = "21600";
  private static final int NOT_FOUND = 404;
  private static final int UNAUTHORIZED = 401;

  private final Metadata metadata;
  private final Clock clock;
  private @Nullable String token;

  AwsNotice(Metadata metadata, Clock clock) {
    this.metadata = metadata;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "aws";
  }

  @Override
  public Optional<Duration> timeLeft() throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(token());
    if (answer.statusCode() == UNAUTHORIZED) {
      token = null;
      answer = ask(token());
    }
    return answer.statusCode() == NOT_FOUND
        ? Optional.empty()
        : Optional.of(timeLeft(metadata.body(answer)));
  }

  @Override
  public void close() {
    metadata.close();
  }

  private HttpResponse<String> ask(String session) throws IOException, InterruptedException {
    return metadata.get(
        "/latest/meta-data/spot/instance-action", "X-aws-ec2-metadata-token", session);
  }

  private String token() throws IOException, InterruptedException {
    String known = token;
    if (known == null) {
      known =
          metadata.body(
              metadata.put(
                  "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds", TOKEN_SECONDS));
      token = known;
    }
    return known;
  }

  private Duration timeLeft(String body) throws IOException {
    try {
      JsonNode action = Json.parse(body, JsonNode.class, "instance action");
      return Duration.between(clock.instant(), Instant.parse(action.path("time").asText()));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new IOException("the instance action has no time: " + body, e);
    }
  }
}
