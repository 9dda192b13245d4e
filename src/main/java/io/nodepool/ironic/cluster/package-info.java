/** The fleet of an Ironic on a cluster: its client, its loop, and what it writes. */
@NullMarked
package io.nodepool.ironic.cluster;

import org.jspecify.annotations.NullMarked;
