/** What the plugin reads and requests of a cluster. */
@NullMarked
package io.nodepool.cli.kubectl.request;

import org.jspecify.annotations.NullMarked;
