@NullMarked
package io.nodepool.simulated.cluster.document;

import org.jspecify.annotations.NullMarked;
