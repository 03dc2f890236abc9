/** The scheduler as Kafka Streams processors over changelogged stores. */
@NullMarked
package io.sluice.router.stream;

import org.jspecify.annotations.NullMarked;
