package io.nodepool.kubernetes.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;

/** The options of a deletion, as JSON. */
public final class DeleteOptions {
  private DeleteOptions() {}

  /** Only the object with this UID, after its own grace period unless one is given. */
  public static ObjectNode of(String uid, Optional<Duration> grace) {
    ObjectNode options = JsonNodeFactory.instance.objectNode();
    options.put("kind", "DeleteOptions").put("apiVersion", "v1");
    grace.ifPresent(time -> options.put("gracePeriodSeconds", time.toSeconds()));
    options.putObject("preconditions").put("uid", uid);
    return options;
  }

  /** Only the object with this UID. */
  public static ObjectNode of(String uid) {
    return of(uid, Optional.empty());
  }

  /** Only the object with this UID in this version. */
  public static ObjectNode of(String uid, long version) {
    ObjectNode options = of(uid);
    options.withObject("/preconditions").put("resourceVersion", Long.toString(version));
    return options;
  }
}
