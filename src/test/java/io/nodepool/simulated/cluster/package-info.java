@NullMarked
package io.nodepool.simulated.cluster;

import org.jspecify.annotations.NullMarked;
