package io.sluice.worker.notice;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * The preemption notice of a Compute Engine spot VM, at most 30 s before it ends. The metadata
 * server does not say when it began. Source: "Detect if a Spot VM was preempted" in Compute
 * Engine's documentation.
 */
record GcpNotice(Metadata metadata) implements NoticeSource {
  private static final Duration NOTICE = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "gcp";
  }

  @Override
  public Optional<Duration> timeLeft() throws IOException, InterruptedException {
    String answer =
        metadata.body(
            metadata.get("/computeMetadata/v1/instance/preempted", "Metadata-Flavor", "Google"));
    return switch (answer.strip()) {
      case "TRUE" -> Optional.of(NOTICE);
      case "FALSE" -> Optional.empty();
      default -> throw new IOException("the metadata server does not say TRUE or FALSE");
    };
  }

  @Override
  public void close() {
    metadata.close();
  }
}
