package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
  void aRecordIsCompactAndComesBackAsItWas() {
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
  void aTextThatIsNotAsWeWriteItIsNoRecord(String text) {
    assertThat(AppliedMetadata.read(text)).isEmpty();
  }

  @Test
  void aNodeWithoutARecordHasNone() {
    assertThat(AppliedMetadata.read(null)).isEmpty();
  }
}
