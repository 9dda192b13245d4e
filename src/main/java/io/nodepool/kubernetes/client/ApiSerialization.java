package io.nodepool.kubernetes.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the objects of the API as JSON. An unknown value of an enum is read as absent,
 * and managed fields, which are half of what a server sends, are ignored.
 */
public final class ApiSerialization extends KubernetesSerialization {
  private final ObjectReader eventReader;

  /** Events that were read from the bytes of watches, by the line that the client gets for each. */
  private final Map<String, WatchEvent> events = new ConcurrentHashMap<>();

  private final AtomicLong lines = new AtomicLong();

  /** Creates the instance at the first use, since commands do not need it. */
  private static final class Shared {
    static final ApiSerialization INSTANCE = new ApiSerialization(mapper());
  }

  /**
   * Registers kinds, since objects of unregistered kinds would be read as maps and then converted.
   */
  private ApiSerialization(ObjectMapper mapper) {
    super(mapper, true);
    registerKubernetesResource(NodePool.class);
    registerKubernetesResource(HostResource.class);
    registerKubernetesResource(HostSignalsResource.class);
    registerKubernetesResource(SignalSourceResource.class);
    registerKubernetesResource(SimulatedFleet.class);
    eventReader = mapper.readerFor(WatchEvent.class);
  }

  /**
   * The instance that all clients of the process use. The responses to their requests are read with
   * it too, so that an object is read in the same way from every source.
   */
  public static ApiSerialization shared() {
    return Shared.INSTANCE;
  }

  /** For commands, which read objects as trees: without the search for the classes of all kinds. */
  static KubernetesSerialization ofTrees() {
    return new KubernetesSerialization(mapper(), false);
  }

  private static ObjectMapper mapper() {
    ObjectMapper mapper =
        new ObjectMapper()
            .addHandler(new UnknownWordsHandler())
            .addMixIn(ObjectMeta.class, WithoutManagedFields.class)
            .addMixIn(WatchEvent.class, WatchedObject.OfWatchEvent.class);
    mapper
        .coercionConfigFor(LogicalType.Enum)
        .setCoercion(CoercionInputShape.EmptyString, CoercionAction.AsNull);
    return mapper;
  }

  /** Makes Jackson ignore managed fields. */
  @JsonIgnoreProperties("managedFields")
  private interface WithoutManagedFields {}

  /**
   * Reads one line of a watch; null for the JSON {@code null}.
   *
   * @throws IOException if the line is no event
   */
  @Nullable WatchEvent readEvent(byte[] line) throws IOException {
    return eventReader.readValue(line);
  }

  /**
   * Keeps an event of a watch until the client reads the line that is returned. The line begins
   * like JSON but is not valid JSON, so a client that reads it in another way, or twice, fails.
   */
  String keep(WatchEvent event, UUID watch) {
    String line = begin(watch) + " " + lines.incrementAndGet();
    events.put(line, event);
    return line;
  }

  /** Drops the events of a watch whose lines will not be read. */
  void drop(UUID watch) {
    events.keySet().removeIf(line -> line.startsWith(begin(watch)));
  }

  private static String begin(UUID watch) {
    return "{" + watch;
  }

  /** Whether the event of a line is kept. */
  boolean keeps(String line) {
    return events.containsKey(line);
  }

  @Override
  public <T> T unmarshal(String text, Class<T> type) {
    WatchEvent event = type == WatchEvent.class ? events.remove(text) : null;
    return event == null ? super.unmarshal(text, type) : type.cast(event);
  }
}
