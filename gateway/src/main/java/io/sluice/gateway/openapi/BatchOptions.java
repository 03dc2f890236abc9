package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The headers of a batch, which hold for all of its requests. */
@Parameter(name = "x-sluice-tier", in = ParameterIn.HEADER, ref = "Tier")
@Parameter(name = "x-sluice-fallback-model", in = ParameterIn.HEADER, ref = "FallbackModel")
@Parameter(name = "x-sluice-conversation", in = ParameterIn.HEADER, ref = "Conversation")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.SOURCE)
public @interface BatchOptions {}
