package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The headers of an operation that runs a request in the pool. */
@Parameter(name = "x-sluice-timeout-ms", in = ParameterIn.HEADER, ref = "TimeoutMs")
@Parameter(name = "x-sluice-slo-ttft-ms", in = ParameterIn.HEADER, ref = "SloTtftMs")
@Parameter(name = "x-sluice-priority", in = ParameterIn.HEADER, ref = "Priority")
@Parameter(name = "x-sluice-tier", in = ParameterIn.HEADER, ref = "Tier")
@Parameter(name = "x-sluice-fallback-model", in = ParameterIn.HEADER, ref = "FallbackModel")
@Parameter(name = "x-sluice-conversation", in = ParameterIn.HEADER, ref = "Conversation")
@Parameter(name = "traceparent", in = ParameterIn.HEADER, ref = "Traceparent")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface PoolOptions {}
