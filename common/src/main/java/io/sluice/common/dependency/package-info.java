/** The services that a service needs, such as Kafka, and how it notices that one is away. */
@NullMarked
package io.sluice.common.dependency;

import org.jspecify.annotations.NullMarked;
