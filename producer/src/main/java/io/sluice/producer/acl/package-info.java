/** Gives principals their roles in a pool. */
@NullMarked
package io.sluice.producer.acl;

import org.jspecify.annotations.NullMarked;
