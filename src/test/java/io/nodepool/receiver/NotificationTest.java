package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NotificationTest {
  private static final String SINCE = "2026-11-26T18:03:15.123Z";

  @Test
  void whatIsNeededOfAlertsIsRead() throws Exception {
    Notification read =
        Bodies.read(
            Bodies.of(
                Bodies.firing(SINCE, "alertname=GPUVeryHot", "node=g1", "job=dcgm"),
                Bodies.resolved(SINCE, "2026-11-26T20:00:00+01:00", "alertname=A", "node=g2")));

    assertThat(read.truncated()).isZero();
    assertThat(read.alerts()).hasSize(2);
    ReceivedAlert first = read.alerts().getFirst();
    assertThat(first.firing()).isTrue();
    assertThat(first.labels()).containsOnlyKeys("alertname", "node");
    assertThat(first.annotations()).containsEntry("summary", "Xid 79 on GPU 3");
    assertThat(first.startsAt()).isEqualTo(Instant.parse(SINCE));
    assertThat(read.alerts().getLast().firing()).isFalse();
    assertThat(read.alerts().getLast().endsAt()).isEqualTo(Instant.parse("2026-11-26T19:00:00Z"));
  }

  @Test
  void aNotificationMayHaveNoAlertsAndSayHowManyWereLeftOut() throws Exception {
    Notification read =
        Bodies.read(Bodies.of().replace("\"truncatedAlerts\": 0", "\"truncatedAlerts\": 7"));

    assertThat(read.alerts()).isEmpty();
    assertThat(read.truncated()).isEqualTo(7);
  }

  @Test
  void nullIsAsIfTheFieldWereNotThere() throws Exception {
    String nulls =
        """
        {"version": "4", "truncatedAlerts": null, "receiver": null, "alerts": [null,
         {"status": "firing", "labels": null, "annotations": null, "startsAt": "%s", "endsAt": null},
         {"status": "firing", "labels": {"node": "g1", "gpu": null}, "annotations": {"summary": null},
          "startsAt": "%s"}]}\
        """
            .formatted(SINCE, SINCE);

    Notification read = Bodies.read(nulls);

    assertThat(read.truncated()).isZero();
    assertThat(read.alerts())
        .extracting(ReceivedAlert::labels)
        .containsExactly(Map.of(), Map.of("node", "g1"));
    assertThat(Bodies.read("{\"version\": \"4\", \"alerts\": null}").alerts()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "-0001-12-31T23:59:59Z, 0001-01-01T00:00:00Z",
    "-999999999-01-01T00:00:00+18:00, 0001-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z, 0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00, 0001-01-01T00:00:00Z",
    "+999999999-12-31T23:59:59-18:00, 9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-12:00, 9999-12-31T23:59:59Z",
  })
  void aTimeThatCannotBeStoredIsTheNextOneThatCan(String time, Instant read) {
    assertThat(Bodies.alerts(Bodies.resolved(time, time, "node=g1")))
        .extracting(ReceivedAlert::startsAt, ReceivedAlert::endsAt)
        .containsExactly(tuple(read, read));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "` `                              | the body must be an object, and is nothing",
        "[]                               | the body must be an object, and is a list",
        "{\"alerts\": []}                 | /version is missing; the webhook of Alertmanager sends \"4\", that of Grafana \"1\"",
        "{\"alerts\": [], \"version\": \"3\"} | /version is \"3\"; the webhook of Alertmanager sends \"4\", that of Grafana \"1\"",
        "{\"version\": 4}                 | /version must be a text, and is \"4\"",
        "{\"alerts\": {}}                 | /alerts must be a list of alerts, and is an object",
        "{\"alerts\": [1]}                | /alerts/0 must be an alert, as an object, and is \"1\"",
        "{\"alerts\": [{\"status\": \"on\"}]} | /alerts/0/status must be \"firing\" or \"resolved\", and is \"on\"",
        "{\"alerts\": [{\"labels\": {\"node\": 7}}]} | /alerts/0/labels/node must be a text, and is \"7\"",
        "{\"alerts\": [{\"labels\": []}]} | /alerts/0/labels must be an object of texts, and is a list",
        "{\"alerts\": [{\"startsAt\": \"today\"}]} | /alerts/0/startsAt must be an RFC 3339 time, such as 2026-11-26T18:03:15Z, and is \"today\"",
        "{\"alerts\": [{\"status\": \"firing\", \"labels\": {\"node\": \"a\"}}]} | /alerts/0/startsAt is missing; it must be an RFC 3339 time",
        "{\"alerts\": [{\"status\": \"resolved\", \"labels\": {\"node\": \"a\"}, \"startsAt\": \"2026-11-26T18:03:15Z\"}]} | /alerts/0/endsAt is missing; it must be the time at which the alert ended",
        "{\"alerts\": [], \"truncatedAlerts\": \"x\"} | /truncatedAlerts must be a whole number, and is \"x\"",
        "{\"alerts\": [}                  | the body is not valid JSON: line 1, column ",
        "{\"alerts\": [                   | the body is not valid JSON: line 1, column ",
        "nothing                          | the body is not valid JSON: line 1, column ",
      })
  void whatIsNoNotificationIsRefusedWithTheReasonAndThePlace(String body, String message) {
    assertThatThrownBy(() -> Bodies.read(body))
        .isInstanceOf(Notification.Malformed.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void thereIsALimitOfAlerts() {
    byte[] body =
        Bodies.of(Bodies.firing(SINCE, "node=a"), Bodies.firing(SINCE, "node=b"))
            .getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> Notification.read(new ByteArrayInputStream(body), 1))
        .isInstanceOf(Notification.TooLarge.class)
        .hasMessage("the body has more than 1 alerts; group them by further labels");
  }
}
