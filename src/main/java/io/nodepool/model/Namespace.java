package io.nodepool.model;

import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.util.Optional;

/**
 * A Namespace, as far as decisions need it.
 *
 * @param terminating whether it is being deleted
 * @param organization whom its label {@link NamespaceLabels#ORGANIZATION} says that it belongs to;
 *     empty while it has none
 */
public record Namespace(
    String name, String uid, long version, boolean terminating, Optional<String> organization) {}
