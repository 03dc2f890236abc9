package io.sluice.gateway.config;

import io.sluice.config.Setting;
import java.net.URI;
import java.util.Optional;

/**
 * The settings of the Files API.
 *
 * @param storage where files are
 * @param maxBytes the largest file
 * @param tenantMaxBytes the most bytes of all files of a tenant
 * @param tenantMaxFiles the most files of a tenant
 * @param s3Endpoint the server, if it is not Amazon's
 * @param s3Region the region of the bucket
 */
public record FileSettings(
    @Setting(
            key = "files",
            defaultValue = "none",
            unit = "none, folder:PATH or s3:BUCKET[/PREFIX]",
            meaning =
                "Where files are stored. All gateways of a pool must use the same place. The"
                    + " credentials of S3 come from the environment, as for all AWS tools.")
        FileStorage storage,
    @Setting(
            key = "file-max-bytes",
            defaultValue = "209715200",
            unit = "bytes",
            min = 1,
            max = 8_589_934_592.0,
            meaning = "The largest file; a larger upload is refused with status 413.")
        long maxBytes,
    @Setting(
            key = "file-tenant-max-bytes",
            defaultValue = "10737418240",
            unit = "bytes",
            min = 1,
            max = 1_125_899_906_842_624.0,
            meaning = "The maximum size of all files of a tenant together.")
        long tenantMaxBytes,
    @Setting(
            key = "file-tenant-max-files",
            defaultValue = "20000",
            unit = "files",
            min = 1,
            max = 1_000_000,
            meaning = "The maximum number of files of a tenant.")
        int tenantMaxFiles,
    @Setting(
            otherwise = "Amazon's",
            unit = "URL",
            meaning =
                "The address of another server with S3's protocol, such as MinIO's"
                    + " `http://127.0.0.1:9000`. Buckets are then part of the path.")
        Optional<URI> s3Endpoint,
    @Setting(
            otherwise = "that of the environment",
            meaning = "The region of the bucket, such as `eu-central-1`.")
        Optional<String> s3Region) {}
