/**
 * The configurations of a pool: which one is active, which one is pending, what users ask for, and
 * which one each machine has to boot.
 */
@NullMarked
package io.nodepool.plan.configuration;

import org.jspecify.annotations.NullMarked;
