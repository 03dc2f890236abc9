package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The errors of an operation that reads the answer to a request again, in addition to {@link
 * ApiErrors}.
 */
@ApiResponse(responseCode = "404", ref = "RequestNotFound")
@ApiResponse(responseCode = "410", ref = "Truncated")
@ApiResponse(responseCode = "429", ref = "TooManyRequests")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface ReadErrors {}
