/** Whether a machine that was booted anew, or verified, may be given to tenants again. */
@NullMarked
package io.nodepool.plan.verification;

import org.jspecify.annotations.NullMarked;
