/** The models that the pool serves. */
@NullMarked
package io.sluice.gateway.model;

import org.jspecify.annotations.NullMarked;
