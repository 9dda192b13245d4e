/** The commands about Hosts. */
@NullMarked
package io.nodepool.plugin.host;

import org.jspecify.annotations.NullMarked;
