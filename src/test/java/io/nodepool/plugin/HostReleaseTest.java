package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The command that takes back that Hosts are set aside: what it writes and prints. */
class HostReleaseTest {
  private static final String HOSTS = "/apis/fleet.nodepool.io/v1alpha1/hosts/";
  private static final String USER = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";
  private static final String ASKED =
      USER + " {'apiVersion':'authentication.k8s.io/v1','kind':'SelfSubjectReview'}";
  private static final String CONFLICT = FakeApi.status("the object has been modified");

  @RegisterExtension private final FakeApi api = new FakeApi();

  private static String host(String name, int version, String spec) {
    return "{'metadata': {'name': '%s', 'uid': 'u-%s', 'resourceVersion': '%d'}, 'spec': {%s}}"
        .formatted(name, name, version, spec);
  }

  private static String read(String name) {
    return "GET " + HOSTS + name;
  }

  /** The one write of a release; the record is JSON in a text, with its quotation marks escaped. */
  private static String written(String name, int version, String record) {
    return "PATCH %s%s {'spec':{'setAside':null,'deliveryFailures':null},'metadata':{'annotations':{'fleet.nodepool.io/set-aside-ended':'{%s}'},'resourceVersion':'%d'}}"
        .formatted(HOSTS, name, record.replace("'", "\\'"), version);
  }

  @Test
  void aReleaseIsOneWriteThatRecordsWhoWhenAndWhy() {
    api.on(
            read("g1"),
            host("g1", 7, "'setAside': '3 failed in a row', 'deliveryFailures': {'count': 3}"))
        .on(USER, 201, "{'status': {'userInfo': {'username': 'jane@example.com'}}}");

    assertThat(api.command("host", "release", "g1", "--reason", "new power supply")).isZero();
    assertThat(api.writes)
        .containsExactly(
            ASKED,
            written(
                "g1",
                7,
                "'at':'2026-11-22T10:00:00Z','by':'jane@example.com','reason':'new power supply','setAside':'3 failed in a row'"));
    assertThat(api.out()).isEqualTo("host/g1 released; it was set aside: 3 failed in a row\n");
    assertThat(api.err()).isEmpty();
  }

  @Test
  void aUserWhomTheServerDoesNotNameIsLeftOut() {
    api.on(read("g1"), host("g1", 7, "'setAside': 'on loan'"))
        .on(USER, 404, FakeApi.status("the server could not find the requested resource"));

    assertThat(api.command("host", "release", "g1")).isZero();
    assertThat(api.writes)
        .containsExactly(
            ASKED, written("g1", 7, "'at':'2026-11-22T10:00:00Z','setAside':'on loan'"));
  }

  @Test
  void aHostThatIsNotSetAsideIsNotWritten() {
    api.on(read("g1"), host("g1", 7, "'deliveryFailures': {'count': 1}"));

    assertThat(api.command("host", "release", "g1")).isZero();
    assertThat(api.writes).isEmpty();
    assertThat(api.out()).isEqualTo("host/g1 is not set aside; nothing was written\n");
  }

  @Test
  void everyHostIsTriedOnceAndTheUserIsAskedForOnce() {
    api.on(read("g2"), host("g2", 7, "'setAside': 'a'"))
        .on("PATCH " + HOSTS + "g2", 403, FakeApi.status("hosts g2 is forbidden"))
        .on(read("g3"), host("g3", 8, "'setAside': 'b'"));

    assertThat(api.command("host", "release", "g1", "g2", "g3", "g3")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo("error: host/g1: g1 not found\nerror: host/g2: hosts g2 is forbidden\n");
    assertThat(api.out()).isEqualTo("host/g3 released; it was set aside: b\n");
    assertThat(api.writes)
        .containsExactly(
            ASKED,
            written("g2", 7, "'at':'2026-11-22T10:00:00Z','setAside':'a'"),
            written("g3", 8, "'at':'2026-11-22T10:00:00Z','setAside':'b'"));
  }

  /** A Host that is set aside for "a" and has this spec when it is to be written. */
  private void changesTo(String spec) {
    api.on(read("g1"), host("g1", 7, "'setAside': 'a'"))
        .on(read("g1"), host("g1", 8, spec))
        .on("PATCH " + HOSTS + "g1", 409, CONFLICT)
        .on("PATCH " + HOSTS + "g1", "{}");
  }

  @Test
  void aHostThatChangedMeanwhileIsReadAgain() {
    changesTo("'setAside': 'b'");

    assertThat(api.command("host", "release", "g1")).isEqualTo(1);
    assertThat(api.writes)
        .containsExactly(ASKED, written("g1", 7, "'at':'2026-11-22T10:00:00Z','setAside':'a'"));
    assertThat(api.err())
        .isEqualTo("error: host/g1: it was set aside anew meanwhile, and stays so: b\n");
  }

  @Test
  void anotherChangeOfTheHostDoesNotKeepItFromBeingReleased() {
    changesTo("'setAside': 'a'");

    assertThat(api.command("host", "release", "g1")).isZero();
    assertThat(api.writes)
        .containsExactly(
            ASKED,
            written("g1", 7, "'at':'2026-11-22T10:00:00Z','setAside':'a'"),
            written("g1", 8, "'at':'2026-11-22T10:00:00Z','setAside':'a'"));
  }

  @Test
  void aHostThatIsReleasedMeanwhileIsNotReleasedAgain() {
    changesTo("");

    assertThat(api.command("host", "release", "g1")).isZero();
    assertThat(api.out()).isEqualTo("host/g1 is not set aside; nothing was written\n");
  }

  @Test
  void aHostThatAlwaysChangesIsAnError() {
    api.on(read("g1"), host("g1", 7, "'setAside': 'a'")).on("PATCH " + HOSTS + "g1", 409, CONFLICT);

    assertThat(api.command("host", "release", "g1")).isEqualTo(1);
    assertThat(api.writes).hasSize(4);
    assertThat(api.err()).isEqualTo("error: host/g1: the object has been modified\n");
  }

  @Test
  void aReasonHasText() {
    assertThat(api.command("host", "release", "g1", "--reason", " ")).isEqualTo(2);
    assertThat(api.err()).isEqualTo("error: --reason has no text\n");
    assertThat(api.command("host", "release", "g1", "--reason", "x".repeat(1025))).isEqualTo(2);
    assertThat(api.err()).isEqualTo("error: --reason is longer than 1024 characters\n");
    assertThat(api.requests).isEmpty();
  }
}
