/** Files of tenants, in a folder or in S3. */
@NullMarked
package io.sluice.gateway.files;

import org.jspecify.annotations.NullMarked;
