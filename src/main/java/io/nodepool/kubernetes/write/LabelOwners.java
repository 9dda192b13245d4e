package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.model.LabelAuthor;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.util.Map;

/**
 * The author of the organisation label of a Namespace, derived from the managed fields that the API
 * server records (decision D91).
 */
final class LabelOwners {
  private static final String LABELS = "f:labels";
  private static final String LABEL = "f:" + NamespaceLabels.ORGANIZATION.key();

  /** The field manager of earlier versions, which did not set one; other programs use it too. */
  static final String EARLIER = "fabric8-kubernetes-client";

  private LabelOwners() {}

  /** The author: the operator only if no other manager owns the label. */
  static LabelAuthor author(JsonNode namespace) {
    boolean ours = false;
    for (JsonNode entry : namespace.at("/metadata/managedFields")) {
      JsonNode fields = entry.path("fieldsV1");
      if (fields.path("f:metadata").path(LABELS).has(LABEL)) {
        if (!isOurs(entry.path("manager").asText(), fields)) {
          return LabelAuthor.OTHERS;
        }
        ours = true;
      }
    }
    return ours ? LabelAuthor.OURS : LabelAuthor.OTHERS;
  }

  /** Whether the manager is the operator. An earlier version wrote this label and nothing else. */
  private static boolean isOurs(String manager, JsonNode fields) {
    return manager.equals(KubernetesWriter.FIELD_MANAGER)
        || (manager.equals(EARLIER)
            && isOnly(fields, "f:metadata")
            && isOnly(fields.path("f:metadata"), LABELS)
            && isOnly(fields.path("f:metadata").path(LABELS), LABEL));
  }

  private static boolean isOnly(JsonNode fields, String name) {
    return fields
        .propertyStream()
        .map(Map.Entry::getKey)
        .allMatch(field -> field.equals(name) || field.equals("."));
  }
}
