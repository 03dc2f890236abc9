package io.sluice.worker.config;

import java.net.URI;
import java.util.Locale;

/** A cloud that announces the end of a spot machine on a metadata service. */
public enum Cloud {
  AWS("http://169.254.169.254"),
  AZURE("http://169.254.169.254"),
  GCP("http://metadata.google.internal");

  private final URI metadata;

  Cloud(String metadata) {
    this.metadata = URI.create(metadata);
  }

  /** Returns the name in settings, such as {@code aws}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the usual address of its metadata service. */
  public URI metadata() {
    return metadata;
  }
}
