/** The settings of a gateway. */
@NullMarked
package io.sluice.gateway.config;

import org.jspecify.annotations.NullMarked;
