package io.nodepool.kubernetes.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import io.nodepool.kubernetes.api.UnknownWords;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads an unknown value of an enum as absent, since one object with such a value must not end a
 * whole list or watch. Objects of type {@link UnknownWords} record the value.
 */
final class UnknownWordsHandler extends DeserializationProblemHandler {
  @Override
  public @Nullable Object handleWeirdStringValue(
      DeserializationContext context, Class<?> type, String value, String message)
      throws IOException {
    return type.isEnum() ? absent(context.getParser(), value) : NOT_HANDLED;
  }

  @Override
  public @Nullable Object handleWeirdNumberValue(
      DeserializationContext context, Class<?> type, Number value, String message)
      throws IOException {
    return type.isEnum() ? absent(context.getParser(), value.toString()) : NOT_HANDLED;
  }

  private static @Nullable Object absent(JsonParser parser, String word) throws IOException {
    if (parser.currentValue() instanceof UnknownWords part) {
      part.note(parser.currentName(), word);
    }
    return null;
  }
}
