/** Exports spans by OTLP. The only package that knows OpenTelemetry. */
@NullMarked
package io.sluice.tracing;

import org.jspecify.annotations.NullMarked;
