package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verbs that hold a NodePool as it is, and let it go on. */
class PauseCommandsTest {
  private static final String POOL = "GET /apis/compute.coreweave.com/v1alpha1/nodepools/train";

  @RegisterExtension private final FakeApi api = new FakeApi();

  @ParameterizedTest
  @CsvSource({
    "pause, '', true, paused",
    "pause, false, true, paused",
    "resume, true, null, resumed",
    "resume, yes, null, resumed"
  })
  void aPoolIsHeldAndGoesOn(String verb, String before, String after, String said) {
    pool(before);

    assertThat(api.command(verb, "train")).isZero();
    String value = after.equals("null") ? after : "'" + after + "'";
    assertThat(api.writes)
        .containsExactly(
            POOL.replace("GET", "PATCH")
                + " {'metadata':{'annotations':{'nodepool.io/paused':%s}}}".formatted(value));
    assertThat(api.out()).isEqualTo("nodepool/train %s\n".formatted(said));
  }

  @ParameterizedTest
  @CsvSource({
    "pause, true, is paused already",
    "pause, yes, is paused already",
    "resume, '', is not paused",
    "resume, false, is not paused"
  })
  void nothingIsWrittenIfNothingChanges(String verb, String before, String said) {
    pool(before);

    assertThat(api.command(verb, "np/train")).isZero();
    assertThat(api.writes).isEmpty();
    assertThat(api.out()).isEqualTo("nodepool/train %s; nothing was written\n".formatted(said));
  }

  @Test
  void aPoolThatDoesNotExistIsAnError() {
    assertThat(api.command("pause", "train")).isEqualTo(1);
    assertThat(api.command("resume", "train")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: train not found\n");
  }

  private void pool(String paused) {
    api.on(
        POOL,
        "{'metadata': {'name': 'train', 'annotations': {%s}}}"
            .formatted(paused.isEmpty() ? "" : "'nodepool.io/paused': '" + paused + "'"));
  }
}
