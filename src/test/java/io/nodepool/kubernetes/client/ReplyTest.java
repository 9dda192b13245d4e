package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplyTest {
  @ParameterizedTest
  @CsvSource({
    "400,Denied",
    "401,Unavailable",
    "403,Denied",
    "404,Missing",
    "409,Refused",
    "422,Denied",
    "429,Unavailable",
    "500,Unknown",
    "502,Unknown",
    "503,Unavailable",
    "504,Unknown"
  })
  void anErrorDecidesWhetherTheWriteTookEffect(int code, String answer) {
    Answer<String> failure = new Reply.Rejected(code, "because").failure();

    assertThat(failure.getClass().getSimpleName()).isEqualTo(answer);
  }

  @Test
  void aPatchForAnotherStateOrObjectIsAConflict() {
    assertThat(
            new Reply.Rejected(
                    422,
                    "Node \"g1\" is invalid: metadata.uid: Invalid value: \"u-1\": field is immutable")
                .failure())
        .isInstanceOf(Answer.Refused.class);
    assertThat(new Reply.Rejected(422, Reply.PATCH_FAILED).failure())
        .isEqualTo(new Answer.Refused<>("HTTP 422: " + Reply.PATCH_FAILED));
  }

  @Test
  void anUnsentRequestMayBeRetriedAndALostOneIsInDoubt() {
    assertThat(new Reply.NotSent("why").failure()).isEqualTo(new Answer.Unavailable<>("why"));
    assertThat(new Reply.Lost("why").failure()).isEqualTo(new Answer.Unknown<>("why"));
  }

  @Test
  void theServersMessageIsPassedOn() {
    assertThat(new Reply.Rejected(409, "already taken").failure())
        .isEqualTo(new Answer.Refused<>("HTTP 409: already taken"));
  }
}
