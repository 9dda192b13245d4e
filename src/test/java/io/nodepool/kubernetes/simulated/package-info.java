@NullMarked
package io.nodepool.kubernetes.simulated;

import org.jspecify.annotations.NullMarked;
