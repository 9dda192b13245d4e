package io.nodepool.kubernetes.simulated;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * One request about one object, sent once.
 *
 * @param path where it is sent
 * @param body empty text for a read
 * @param object the path of the object itself, for reading it back
 * @param type what the object is
 */
record ApiRequest(
    Verb verb, String path, String body, String object, Class<? extends HasMetadata> type) {

  /** What is done, and how the body is to be read. */
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
