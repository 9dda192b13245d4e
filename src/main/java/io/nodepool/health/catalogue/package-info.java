/** The alert catalogue: what each alert means, and what is done about it. */
@NullMarked
package io.nodepool.health.catalogue;

import org.jspecify.annotations.NullMarked;
