package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * One request about one object, sent once.
 *
 * @param path the path that it is sent to
 * @param body empty text for a read
 * @param object the path of the object itself, for a live read
 * @param type the type of the object
 */
record ApiRequest(
    Verb verb, String path, String body, String object, Class<? extends HasMetadata> type) {

  /** The operation, and the format of the body. */
  enum Verb {
    GET,
    POST,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_PATCH,
    APPLY,
    DELETE
  }

  /** The live read of the object that this request is about. */
  ApiRequest readBack() {
    return new ApiRequest(Verb.GET, object, "", object, type);
  }

  @Override
  public String toString() {
    return verb + " " + path;
  }
}
