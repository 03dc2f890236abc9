package io.sluice.gateway.openapi;

import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The errors of every operation under {@code /v1}, in OpenAI's shape. */
@ApiResponse(responseCode = "400", ref = "InvalidRequest")
@ApiResponse(responseCode = "401", ref = "Unauthorized")
@ApiResponse(responseCode = "500", ref = "ServerError")
@ApiResponse(responseCode = "503", ref = "Unavailable")
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
public @interface ApiErrors {}
