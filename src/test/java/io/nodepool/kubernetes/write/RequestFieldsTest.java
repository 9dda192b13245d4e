package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.model.node.RequestTimes;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests when a request was set, as the managed fields of a Node record it (decision D164). */
class RequestFieldsTest {
  private static final Optional<Instant> TEN = Optional.of(Instant.parse("2026-01-01T10:00:00Z"));
  private static final Optional<Instant> ELEVEN =
      Optional.of(Instant.parse("2026-01-01T11:00:00Z"));

  private static RequestTimes times(String... entries) throws JsonProcessingException {
    String json = "{'metadata': {'managedFields': [" + String.join(", ", entries) + "]}}";
    return RequestFields.times(new ObjectMapper().readTree(json.replace('\'', '"')));
  }

  private static String entry(String time, String labels, String annotations) {
    return "{'manager': 'm', 'time': '%s', 'fieldsV1': {'f:metadata': {'f:labels': {%s}, 'f:annotations': {%s}}}}"
        .formatted(time, labels, annotations);
  }

  private static final String LABEL = "'f:node.coreweave.cloud/pending-state': {}";
  private static final String POLICY = "'f:nodepool.io/reboot-policy': {}";

  @Test
  void eachFieldHasTheTimeOfItsOwner() throws JsonProcessingException {
    assertThat(
            times(
                entry("2026-01-01T09:00:00Z", "'f:other': {}", ""),
                entry("2026-01-01T10:00:00Z", "", POLICY),
                entry("2026-01-01T11:00:00Z", LABEL, "")))
        .isEqualTo(new RequestTimes(ELEVEN, TEN));
  }

  @Test
  void ofSeveralOwnersTheLastOneCounts() throws JsonProcessingException {
    assertThat(
            times(
                entry("2026-01-01T11:00:00Z", LABEL, POLICY),
                entry("2026-01-01T10:00:00Z", LABEL, POLICY),
                entry("no time", LABEL, POLICY)))
        .isEqualTo(new RequestTimes(ELEVEN, ELEVEN));
  }

  @Test
  void withoutAnEntryThereIsNoTime() throws JsonProcessingException {
    assertThat(times()).isEqualTo(new RequestTimes(Optional.empty(), Optional.empty()));
  }
}
