package io.nodepool.model.node;

import java.time.Instant;
import java.util.Optional;

/**
 * When a client's request and its policy were set on a Node, by the clock of the API server. The
 * Node's managed fields record the instants; a client may have set a field earlier, but not later.
 *
 * @param label when the label {@code node.coreweave.cloud/pending-state} was set; empty if that is
 *     not recorded
 * @param policy when the annotation {@code nodepool.io/reboot-policy} was set; empty if that is not
 *     recorded
 */
public record RequestTimes(Optional<Instant> label, Optional<Instant> policy) {}
