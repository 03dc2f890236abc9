package io.sluice.router.app;

import io.sluice.config.Setting;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.catalog.ModelCatalog;
import java.time.Duration;

/**
 * The models that the pool serves.
 *
 * @param catalogue models for which requests wait, even if no worker is alive
 * @param grace how long requests wait for a worker to join that serves their model
 * @param fallbacks which model stands in for which
 * @param assumedOutputTokens the output that is assumed for a request that does not limit it
 */
public record ModelSettings(
    @Setting(
            key = "models",
            otherwise = "none",
            unit = "name=tokens,...",
            meaning =
                "The models that the pool serves, and their longest context. Requests"
                    + " for them wait for a worker until their deadline, and longer requests are"
                    + " refused at once. The first one is the default model. If any are given, a"
                    + " model that is neither listed nor served by a worker is refused at once; if"
                    + " none are given, after `--model-grace`.")
        ModelCatalog catalogue,
    @Setting(
            key = "model-grace",
            environment = "SLUICE_MODEL_GRACE_SECONDS",
            defaultValue = "10",
            unit = "s",
            min = 0,
            max = 86_400,
            meaning =
                "How long a request waits for a worker to join that serves its model, or its"
                    + " length, before it ends with `model_not_found` or"
                    + " `context_length_exceeded`. Time does not count while Redis is away, while no"
                    + " worker is known, or, for up to an hour, while the engine of a worker has not"
                    + " answered since it or the router started. A model that was served within the"
                    + " last hour is waited for until the deadline.")
        Duration grace,
    @Setting(
            key = "fallback",
            otherwise = "none",
            unit = "model=fallback,...",
            meaning =
                "Models that stand in for others that have no worker with room. Bulk requests use"
                    + " only a fallback that they name themselves.")
        FallbackModels fallbacks,
    @Setting(
            key = "assumed-output",
            environment = "SLUICE_ASSUMED_OUTPUT_TOKENS",
            defaultValue = "512",
            unit = "tokens",
            min = 1,
            max = 10_000_000,
            meaning =
                "The output of a chat without `max_tokens`, for lanes and reservations. A"
                    + " completion without it gets 16.")
        int assumedOutputTokens) {}
