package io.nodepool.kubernetes.convert.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AlertsDocumentTest {
  private static ConfigMap map(Map<String, String> data) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(AlertsDocument.NAME)
        .endMetadata()
        .withData(data)
        .build();
  }

  @Test
  void theExampleChangesTwoAlertsAndAddsOne() throws IOException {
    ConfigMap example =
        new KubernetesSerialization()
            .unmarshal(Files.readString(Path.of("examples", "alerts.yaml")), ConfigMap.class);

    assertThat(example.getMetadata().getName()).isEqualTo(AlertsDocument.NAME);
    AlertCatalogue catalogue = AlertsDocument.read(example);
    assertThat(catalogue.changed())
        .containsExactly("GPUFallenOffBus", "NodeMemoryError", "RackCoolantLeak");
    assertThat(catalogue.alert("NodeMemoryError").grade()).isEqualTo(Grade.OUT_WHEN_IDLE);
    assertThat(catalogue.alert("NodeMemoryError").hold()).isEqualTo(Duration.ofMinutes(10));
    assertThat(catalogue.alert("GPUFallenOffBus").grade()).isEqualTo(Grade.OUT_NOW);
    assertThat(catalogue.alert("GPUFallenOffBus").overridesEviction()).isFalse();
    assertThat(catalogue.ofNodeCondition("CoolantLeak").map(Alert::name))
        .contains("RackCoolantLeak");
  }

  @Test
  void aMapWithoutTheKeyIsRefused() {
    for (ConfigMap empty :
        new ConfigMap[] {map(Map.of("alerts.yml", "alerts: {}")), map(Map.of())}) {
      assertThatThrownBy(() -> AlertsDocument.read(empty))
          .isInstanceOf(UnreadableObjectException.class)
          .hasMessage("it has no key alerts.yaml; name the document so.");
    }
  }

  @Test
  void aMistakeNamesTheLine() {
    ConfigMap wrong = map(Map.of(AlertsDocument.KEY, "alerts:\n  GPUVeryHot:\n    grade: hot\n"));
    assertThatThrownBy(() -> AlertsDocument.read(wrong))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessageStartingWith(
            "alerts.yaml line 3: grade of GPUVeryHot is \"hot\"; write one of: none, watch,");
  }
}
