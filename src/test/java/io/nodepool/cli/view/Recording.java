package io.nodepool.cli.view;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The view of a cluster at a moment of a real run, from which the picture in README.md is drawn.
 *
 * @param at when it was seen
 */
public record Recording(Instant at, ClusterView view) {
  private static final Path FILE = Path.of("src", "test", "resources", "live-view.json");

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .addModule(
              new SimpleModule()
                  .addSerializer(new OfOptional())
                  .addDeserializer(Optional.class, new ToOptional(Optional.empty())))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          // Predicates of the views look like fields.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  /** The recording that is in the project. */
  static Recording read() throws IOException {
    return JSON.readValue(Files.readString(FILE), Recording.class);
  }

  /** Replaces the recording that is in the project. */
  public void write() throws IOException {
    Files.writeString(FILE, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
  }

  private static final class OfOptional extends JsonSerializer<Optional<?>> {
    @Override
    @SuppressWarnings("unchecked")
    public Class<Optional<?>> handledType() {
      return (Class<Optional<?>>) (Class<?>) Optional.class;
    }

    @Override
    public void serialize(Optional<?> value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      provider.defaultSerializeValue(value.orElse(null), out);
    }
  }

  private static final class ToOptional extends JsonDeserializer<Optional<?>>
      implements ContextualDeserializer {
    private final Optional<JavaType> content;

    private ToOptional(Optional<JavaType> content) {
      this.content = content;
    }

    @Override
    public JsonDeserializer<?> createContextual(
        DeserializationContext context, BeanProperty property) {
      return new ToOptional(Optional.of(property.getType().containedType(0)));
    }

    @Override
    public Optional<?> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return Optional.of(context.readValue(parser, content.orElseThrow()));
    }

    @Override
    public Optional<?> getNullValue(DeserializationContext context) {
      return Optional.empty();
    }

    @Override
    public Object getAbsentValue(DeserializationContext context) {
      return Optional.empty();
    }
  }
}
