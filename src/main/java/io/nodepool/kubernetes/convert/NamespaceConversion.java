package io.nodepool.kubernetes.convert;

import io.nodepool.model.Namespace;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.util.Optional;

/** Converts Namespaces of the API to records. */
public final class NamespaceConversion {
  private NamespaceConversion() {}

  /**
   * A Namespace as a record.
   *
   * @throws UnreadableObjectException if the Namespace cannot be read
   */
  public static Namespace namespace(io.fabric8.kubernetes.api.model.Namespace object) {
    return new Namespace(
        ObjectFacts.name(object),
        ObjectFacts.uid(object),
        ObjectFacts.version(object),
        object.getMetadata().getDeletionTimestamp() != null,
        Optional.ofNullable(
            ObjectFacts.orNone(object.getMetadata().getLabels())
                .get(NamespaceLabels.ORGANIZATION.key())));
  }
}
