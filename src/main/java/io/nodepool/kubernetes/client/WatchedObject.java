package io.nodepool.kubernetes.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserSequence;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.kubernetes.api.HostResource;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads the object of a watch event directly if it is of one of the numerous kinds and begins with
 * its kind and API version, as an API server writes it. The client (fabric8 7.8, {@code
 * KubernetesDeserializer}) first reads each object into a tree, and still does so for all other
 * objects.
 */
final class WatchedObject extends JsonDeserializer<KubernetesResource> {
  /** Makes Jackson read the object of a watch event with this class. */
  interface OfWatchEvent {
    /** The object. */
    @JsonDeserialize(using = WatchedObject.class)
    void setObject(Object object);
  }

  /** The first tokens of an object, with its kind and API version in any order. */
  private static final List<JsonToken> BEGIN =
      List.of(
          JsonToken.START_OBJECT,
          JsonToken.FIELD_NAME,
          JsonToken.VALUE_STRING,
          JsonToken.FIELD_NAME,
          JsonToken.VALUE_STRING);

  /** The numerous kinds by the fields that identify them. */
  private static final Map<Map<String, String>, Class<? extends HasMetadata>> NUMEROUS =
      List.of(Node.class, Pod.class, HostResource.class).stream()
          .collect(
              Collectors.toUnmodifiableMap(
                  type ->
                      Map.of(
                          "apiVersion", HasMetadata.getApiVersion(type),
                          "kind", HasMetadata.getKind(type)),
                  Function.identity()));

  @Override
  public KubernetesResource deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    TokenBuffer begin = new TokenBuffer(parser, context);
    Map<String, String> identity = new HashMap<>();
    begin.copyCurrentEvent(parser);
    for (int i = 0; i < BEGIN.size() && parser.currentToken() == BEGIN.get(i); i++) {
      if (parser.currentToken() == JsonToken.VALUE_STRING) {
        identity.put(parser.currentName(), parser.getText());
      }
      if (i + 1 < BEGIN.size()) {
        parser.nextToken();
        begin.copyCurrentEvent(parser);
      }
    }
    Class<? extends KubernetesResource> numerous = NUMEROUS.get(identity);
    Class<? extends KubernetesResource> type =
        numerous == null ? KubernetesResource.class : numerous;
    JsonParser whole = JsonParserSequence.createFlattened(false, begin.asParser(parser), parser);
    whole.nextToken();
    return context.readValue(whole, type);
  }
}
