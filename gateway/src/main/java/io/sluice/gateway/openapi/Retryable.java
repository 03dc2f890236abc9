package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The headers of an operation whose retry gets the answer of the first try. */
@Parameter(name = "idempotency-key", in = ParameterIn.HEADER, ref = "IdempotencyKey")
@Parameter(name = "x-stainless-retry-count", in = ParameterIn.HEADER, ref = "RetryCount")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface Retryable {}
