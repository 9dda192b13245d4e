package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.NodeTemplateRules;
import io.nodepool.fleet.Taint;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AppliedMetadataTest {
  private static final NodeTemplate TEMPLATE =
      new NodeTemplate(
          new TreeMap<>(Map.of("b", "2", "a", "")),
          new TreeMap<>(Map.of("note", "say \"so\"")),
          List.of(new Taint("z", "", "NoSchedule"), new Taint("k", "v", "NoExecute")));

  @Test
  void aRecordIsCompactAndIsReadAsItWasWritten() {
    String text = AppliedMetadata.write(TEMPLATE);

    assertThat(text)
        .isEqualTo(
            """
            {"labels":{"a":"","b":"2"},"annotations":{"note":"say \\"so\\""},\
            "taints":[{"key":"k","value":"v","effect":"NoExecute"},{"key":"z","effect":"NoSchedule"}]}\
            """);
    assertThat(AppliedMetadata.read(text)).contains(TEMPLATE);
    assertThat(AppliedMetadata.read(AppliedMetadata.write(NodeTemplate.EMPTY)))
        .contains(NodeTemplate.EMPTY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no json",
        "[]",
        "{ }",
        "{\"labels\":{\"b\":\"1\",\"a\":\"2\"}}",
        "{\"labels\":{}}"
      })
  void aTextInAnotherFormIsNotARecord(String text) {
    assertThat(AppliedMetadata.read(text)).isEmpty();
  }

  @Test
  void theLengthOfARecordIsKnownBeforeItIsWritten() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_000; i++) {
      NodeTemplate template =
          new NodeTemplate(
              map(random),
              map(random),
              Stream.generate(() -> taint(random)).limit(random.nextInt(3)).toList());
      String record = AppliedMetadata.write(template);

      assertThat(NodeTemplateRules.recordBytes(template))
          .as(record)
          .isEqualTo(record.getBytes(StandardCharsets.UTF_8).length);
    }
  }

  private static SortedMap<String, String> map(SplittableRandom random) {
    SortedMap<String, String> map = new TreeMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.put(text(random), text(random));
    }
    return map;
  }

  private static Taint taint(SplittableRandom random) {
    return new Taint(text(random), text(random), "NoSchedule");
  }

  private static String text(SplittableRandom random) {
    String characters = "ab/\"\\\b\t\n\f\r\u0001\u001f\u007fü€\u2028😀";
    int[] points = characters.codePoints().toArray();
    return random
        .ints(random.nextInt(6), 0, points.length)
        .mapToObj(i -> Character.toString(points[i]))
        .collect(Collectors.joining());
  }

  @Test
  void aNodeWithoutARecordHasNone() {
    assertThat(AppliedMetadata.read(null)).isEmpty();
  }
}
