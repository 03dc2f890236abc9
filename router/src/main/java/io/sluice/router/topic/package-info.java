/**
 * The topics that exist, from cached metadata, and the removal of topics of workers that are gone.
 */
@NullMarked
package io.sluice.router.topic;

import org.jspecify.annotations.NullMarked;
