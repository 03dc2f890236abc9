/**
 * The API's OpenAPI document. Micronaut makes it from the controllers when they are compiled. Their
 * Javadoc is its text. What several operations share, and all schemas, are in {@code
 * src/main/openapi}.
 */
@NullMarked
package io.sluice.gateway.openapi;

import org.jspecify.annotations.NullMarked;
