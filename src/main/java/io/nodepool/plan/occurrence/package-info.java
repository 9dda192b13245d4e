/** What happened to the Nodes of a pool, as its ledger counts it: pure, from observed states. */
@NullMarked
package io.nodepool.plan.occurrence;

import org.jspecify.annotations.NullMarked;
