package io.nodepool.kubernetes.simulated;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * One request about one object, sent once.
 *
 * @param path below the API server's address, beginning with a slash
 * @param contentType of the body
 * @param body empty text for a read
 * @param object the path of the object itself, for reading it back
 * @param type what the object is
 */
record ApiRequest(
    Verb verb,
    String path,
    String contentType,
    String body,
    String object,
    Class<? extends HasMetadata> type) {

  /** The HTTP methods that are used. */
  enum Verb {
    GET,
    POST,
    PATCH,
    DELETE
  }

  /** The live read of the object that this request is about. */
  ApiRequest readBack() {
    return new ApiRequest(Verb.GET, object, "", "", object, type);
  }

  @Override
  public String toString() {
    return verb + " " + path;
  }
}
