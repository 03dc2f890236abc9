package io.sluice.worker.config;

import io.sluice.config.Setting;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How the worker learns that its machine is about to go.
 *
 * @param file exists from then on
 * @param cloud whose metadata service tells
 * @param metadataUrl the address of that service, if it is not the usual one
 */
public record NoticeSettings(
    @Setting(
            key = "notice-file",
            unit = "file",
            meaning =
                "A file that appears when the machine is about to go. It holds the seconds until"
                    + " then, or nothing for 120. The worker drains within that time.")
        Optional<Path> file,
    @Setting(
            key = "notice-cloud",
            meaning =
                "The cloud whose metadata service announces the end of a spot machine: `aws`,"
                    + " `azure` or `gcp`. The worker drains within the notice.")
        Optional<Cloud> cloud,
    @Setting(
            key = "notice-metadata-url",
            otherwise = "that of the cloud",
            unit = "URL",
            meaning = "The address of the metadata service.")
        Optional<URI> metadataUrl) {

  public NoticeSettings {
    if (metadataUrl.isPresent() && cloud.isEmpty()) {
      throw new IllegalArgumentException("--notice-metadata-url needs --notice-cloud");
    }
  }
}
