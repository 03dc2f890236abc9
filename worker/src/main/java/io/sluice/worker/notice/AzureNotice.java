package io.sluice.worker.notice;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The scheduled events of an Azure VM that end its processes: preemption of a spot VM at least 30 s
 * before, reboot, redeployment and termination. The events of other VMs of the same group are
 * listed too, so the VM's name is asked for first. Source: "Azure Metadata Service: Scheduled
 * Events for Linux VMs".
 */
final class AzureNotice implements NoticeSource {
  private static final Set<String> ENDING = Set.of("Preempt", "Terminate", "Reboot", "Redeploy");

  private final Metadata metadata;
  private final Clock clock;
  private @Nullable String vm;

  AzureNotice(Metadata metadata, Clock clock) {
    this.metadata = metadata;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "azure";
  }

  @Override
  public Optional<Duration> timeLeft() throws IOException, InterruptedException {
    String own = vm();
    String body = get("/metadata/scheduledevents?api-version=2020-07-01");
    try {
      JsonNode events = Json.parse(body, JsonNode.class, "scheduled events").path("Events");
      return StreamSupport.stream(events.spliterator(), false)
          .filter(event -> ENDING.contains(event.path("EventType").asText()))
          .filter(event -> isOf(own, event))
          .map(this::timeLeft)
          .min(Duration::compareTo);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new IOException("the scheduled events cannot be read: " + body, e);
    }
  }

  @Override
  public void close() {
    metadata.close();
  }

  private static boolean isOf(String own, JsonNode event) {
    return StreamSupport.stream(event.path("Resources").spliterator(), false)
        .anyMatch(resource -> resource.asText().equals(own));
  }

  /** An event that has started has no time. */
  private Duration timeLeft(JsonNode event) {
    String time = event.path("NotBefore").asText();
    return time.isEmpty()
        ? Duration.ZERO
        : Duration.between(
            clock.instant(),
            ZonedDateTime.parse(time, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
  }

  private String vm() throws IOException, InterruptedException {
    String known = vm;
    if (known == null) {
      known = get("/metadata/instance/compute/name?api-version=2021-02-01&format=text");
      vm = known;
    }
    return known;
  }

  private String get(String path) throws IOException, InterruptedException {
    return metadata.body(metadata.get(path, "Metadata", "true"));
  }
}
