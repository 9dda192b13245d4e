/** How fast Nodes are cordoned for the alerts about their machines, and what a repair costs. */
@NullMarked
package io.nodepool.bench.repair;

import org.jspecify.annotations.NullMarked;
