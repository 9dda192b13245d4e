package io.nodepool.receiver;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.fleet.HostId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.util.Collection;
import java.util.Map;

/** The JSON of requests that store signals. */
public final class SignalPatch {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private SignalPatch() {}

  /** A merge patch that sets these signals and keeps all others. */
  public static String change(Map<SignalKey, Signal> signals) {
    ObjectNode patch = NODES.objectNode();
    entries(patch, signals, false);
    return patch.toString();
  }

  /**
   * A merge patch that sets these signals and removes others, if the object still has this version.
   *
   * @param removed the keys of the entries that are removed
   */
  static String exchange(
      Map<SignalKey, Signal> signals, Collection<String> removed, String version) {
    ObjectNode patch = NODES.objectNode();
    patch.putObject("metadata").put("resourceVersion", version);
    ObjectNode entries = entries(patch, signals, false);
    removed.forEach(entries::putNull);
    return patch.toString();
  }

  /** A new object, owned by its Host, with these signals. */
  public static String creation(HostId host, Map<SignalKey, Signal> signals) {
    ObjectNode object = NODES.objectNode();
    object.put("apiVersion", HasMetadata.getApiVersion(HostSignalsResource.class));
    object.put("kind", HasMetadata.getKind(HostSignalsResource.class));
    ObjectNode metadata = object.putObject("metadata");
    metadata.put("name", host.name());
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", HasMetadata.getApiVersion(HostResource.class))
        .put("kind", HasMetadata.getKind(HostResource.class))
        .put("name", host.name())
        .put("uid", host.uid());
    entries(object, signals, true);
    return object.toString();
  }

  /** In a patch, null removes fields of an earlier occurrence. */
  private static ObjectNode entries(
      ObjectNode object, Map<SignalKey, Signal> signals, boolean isNew) {
    ObjectNode entries = object.putObject("spec").putObject("signals");
    signals.forEach((key, signal) -> {
      ObjectNode entry = entries.putObject(key.text());
      entry.put("since", ObjectFacts.seconds(signal.since()));
      put(entry, "endedAt", signal.ended().map(ObjectFacts::seconds).orElse(""), isNew);
      put(entry, "severity", signal.severity(), isNew);
      put(entry, "message", signal.message(), isNew);
    });
    return entries;
  }

  private static void put(ObjectNode entry, String field, String text, boolean isNew) {
    if (!text.isEmpty()) {
      entry.put(field, text);
    } else if (!isNew) {
      entry.putNull(field);
    }
  }
}
