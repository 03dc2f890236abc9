package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The errors of an operation that runs a request in the pool, in addition to {@link ApiErrors}. */
@ApiResponse(responseCode = "403", ref = "Forbidden")
@ApiResponse(responseCode = "404", ref = "ModelNotFound")
@ApiResponse(responseCode = "413", ref = "TooLarge")
@ApiResponse(responseCode = "422", ref = "Unprocessable")
@ApiResponse(responseCode = "429", ref = "TooManyRequests")
@ApiResponse(responseCode = "499", ref = "Cancelled")
@ApiResponse(responseCode = "502", ref = "EngineError")
@ApiResponse(responseCode = "504", ref = "DeadlineExceeded")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface PoolErrors {}
