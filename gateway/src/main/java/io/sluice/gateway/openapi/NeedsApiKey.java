package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** An operation that needs an API key, unless the gateway has none. */
@SecurityRequirement(name = "bearer")
@SecurityRequirement(name = "apiKey")
@SecurityRequirement(name = "tenant")
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
public @interface NeedsApiKey {}
