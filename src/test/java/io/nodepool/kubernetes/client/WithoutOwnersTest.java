package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WithoutOwnersTest {
  private static final String OWNERS =
      "[{\"manager\":\"a\\\"]\",\"fieldsV1\":{\"f:x\":{\"k:{\\\"t\\\":[1]}\":{}}}},{\"l\":[[]]}]";
  private static final String EVENT =
      "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"annotations\":{\"n\":\"ü \\\"managedFields\\\":[1]\"},"
          + "\"managedFields\":%s,\"name\":\"n\"},\"spec\":{\"list\":[1,[2]]}}}\n";

  private static String of(String stream, int cut) {
    byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
    WithoutOwners without = new WithoutOwners();
    ByteBuffer first = without.next(ByteBuffer.wrap(bytes, 0, cut).asReadOnlyBuffer());
    ByteBuffer second = without.next(ByteBuffer.wrap(bytes, cut, bytes.length - cut));
    ByteBuffer all = ByteBuffer.allocate(first.remaining() + second.remaining());
    all.put(first).put(second).flip();
    return StandardCharsets.UTF_8.decode(all).toString();
  }

  @Test
  void managedFieldsAreOmittedWhereverAnEventIsCut() {
    String stream = EVENT.formatted(OWNERS).repeat(2);
    int length = stream.getBytes(StandardCharsets.UTF_8).length;

    for (int cut = 0; cut <= length; cut++) {
      assertThat(of(stream, cut)).as("cut at %s", cut).isEqualTo(EVENT.formatted("[]").repeat(2));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'7'}}}",
        "{'type':'ADDED','object':{'metadata':{'name':'managedFields'},'spec':{'x':{'managedFields':[1]}}}}",
        "{'type':'ADDED','object':{'metadata':{'managedFields':null,'managedFieldsOf':[1]}}}",
        "{'type':'ADDED','object':{'metadata':{'labels':{'managedFields':'[1]'}}}}",
      },
      quoteCharacter = '`')
  void allElseIsPassedOnUnchanged(String event) {
    String json = event.replace('\'', '"') + "\n";

    assertThat(of(json, 5)).isEqualTo(json);
  }
}
