/** What is demanded of a Node at present, and which disruptions may be admitted. Pure. */
@NullMarked
package io.nodepool.plan.disruption.admission;

import org.jspecify.annotations.NullMarked;
