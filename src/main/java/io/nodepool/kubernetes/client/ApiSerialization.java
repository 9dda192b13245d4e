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
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.io.IOException;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the objects of the API as JSON. An unknown value of an enum is read as absent,
 * and managed fields, which are half of what a server sends, are ignored.
 */
public final class ApiSerialization extends KubernetesSerialization {
  /** The events that were read from the bytes of a watch and are being handed to the client. */
  private static final ScopedValue<Queue<WatchEvent>> READ = ScopedValue.newInstance();

  private final ObjectReader eventReader;

  /** Made at the first use, since commands do not need it. */
  private static final class Shared {
    static final ApiSerialization INSTANCE = new ApiSerialization(mapper());
  }

  /** Registers kinds, since objects of others would be read as maps and then converted. */
  private ApiSerialization(ObjectMapper mapper) {
    super(mapper, true);
    registerKubernetesResource(NodePool.class);
    registerKubernetesResource(HostResource.class);
    registerKubernetesResource(SimulatedFleet.class);
    eventReader = mapper.readerFor(WatchEvent.class);
  }

  /**
   * The instance that all clients of the process use. The responses to their requests are read with
   * it too, so that an object is read alike wherever it comes from.
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
   * Reads one line of a watch; null if the line is.
   *
   * @throws IOException if it is no event
   */
  @Nullable WatchEvent readEvent(byte[] line) throws IOException {
    return eventReader.readValue(line);
  }

  /** A hand-over to the client; an operation of a ScopedValue would have to return a value. */
  interface HandOver {
    /** Hands over. */
    void run() throws Exception;
  }

  /**
   * Runs a hand-over. Meanwhile each empty text that the client reads as a watch event, on this
   * thread, is the next of these events.
   */
  void handOver(Queue<WatchEvent> events, HandOver handOver) throws Exception {
    boolean _ =
        ScopedValue.where(READ, events)
            .call(() -> {
              handOver.run();
              return true;
            });
  }

  @Override
  public <T> T unmarshal(String text, Class<T> type) {
    return type == WatchEvent.class && text.isEmpty() && READ.isBound()
        ? type.cast(READ.get().remove())
        : super.unmarshal(text, type);
  }
}
