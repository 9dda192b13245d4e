/** The fleet of machines that OpenStack Ironic manages: what a machine does next, and its words. */
@NullMarked
package io.nodepool.ironic;

import org.jspecify.annotations.NullMarked;
