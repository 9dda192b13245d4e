package io.nodepool.vocabulary.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows are those of apimachinery's own tests, and those that failed before. */
class KubernetesNamesTest {
  private static final String SIXTY_THREE = "a".repeat(63);
  private static final String SUBDOMAIN_OF_253 = (SIXTY_THREE + ".").repeat(3) + "a".repeat(61);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "simple",
        "now-with-dashes",
        "1-starts-with-num",
        "1234",
        "simple/simple",
        "now-with-dashes/simple",
        "now-with-dashes/now-with-dashes",
        "now.with.dots/simple",
        "1-num.2-num/3-num",
        "1.2.3.4/5678",
        "Uppercase_Is_OK_123",
        "example.com/Uppercase_Is_OK_123",
        "requests.storage-foo",
        "a.b..c"
      })
  void keysThatKubernetesAccepts(String key) {
    assertThat(KubernetesNames.wrongKey(key)).isEmpty();
    assertThat(KubernetesNames.wrongAnnotationKey(key)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "~~ | it is empty",
        "bad key | must consist of letters, digits",
        "nospecialchars%^=@ | must consist of letters, digits",
        "cantendwithadash- | begin and end with a letter or digit",
        "-cantstartwithadash | begin and end with a letter or digit",
        "only/one/slash | more than one slash",
        "Example.com/abc | a DNS subdomain of lower-case letters",
        "example_com/abc | a DNS subdomain of lower-case letters",
        "a..b/abc | a DNS subdomain of lower-case letters",
        "example.com/ | nothing follows the slash",
        "/simple | a DNS subdomain of lower-case letters",
        "example.com/a b | the part behind the slash must consist of letters",
        "ä | must consist of letters, digits"
      })
  void keysThatKubernetesRefuses(String key, String why) {
    assertThat(KubernetesNames.wrongKey(key)).hasValueSatisfying(w -> assertThat(w).contains(why));
  }

  @Test
  void lengthsAreThoseOfKubernetes() {
    assertThat(KubernetesNames.wrongKey(SIXTY_THREE)).isEmpty();
    assertThat(KubernetesNames.wrongKey(SIXTY_THREE + "a"))
        .contains("it has 64 characters; at most 63 are allowed");
    assertThat(SUBDOMAIN_OF_253).hasSize(253);
    assertThat(KubernetesNames.wrongKey(SUBDOMAIN_OF_253 + "/" + SIXTY_THREE)).isEmpty();
    assertThat(KubernetesNames.wrongKey(SUBDOMAIN_OF_253 + "a/b"))
        .contains("the part before the slash has 254 characters; at most 253 are allowed");
    assertThat(KubernetesNames.wrongLabelValue(SIXTY_THREE)).isEmpty();
    assertThat(KubernetesNames.wrongLabelValue(SIXTY_THREE + "a")).isPresent();
  }

  @Test
  void theCaseOfAnAnnotationsKeyDoesNotMatter() {
    assertThat(KubernetesNames.wrongKey("Example.com/abc")).isPresent();
    assertThat(KubernetesNames.wrongAnnotationKey("Example.com/abc")).isEmpty();
    assertThat(KubernetesNames.wrongAnnotationKey("a b")).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "1", "a.b", "a_b-c", "True", "a..b"})
  void valuesThatKubernetesAccepts(String value) {
    assertThat(KubernetesNames.wrongLabelValue(value)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"c d", " a", "-a", "a.", "a/b", "ü", "\n"})
  void valuesThatKubernetesRefuses(String value) {
    assertThat(KubernetesNames.wrongLabelValue(value)).isPresent();
  }

  @Test
  void aLongKeyIsRefusedAtOnce() {
    assertThat(KubernetesNames.wrongKey("a-".repeat(500_000) + "!")).isPresent();
    assertThat(KubernetesNames.wrongKey("a-".repeat(500_000) + "!/a")).isPresent();
  }

  @Test
  void annotationsAreCountedInBytes() {
    assertThat(KubernetesNames.annotationBytes(Map.of("a", "ü", "bc", ""))).isEqualTo(5);
  }
}
