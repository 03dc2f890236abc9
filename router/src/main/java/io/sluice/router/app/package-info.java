/** Configuration and assembly: Micronaut, health, metrics and the command. */
@NullMarked
package io.sluice.router.app;

import org.jspecify.annotations.NullMarked;
