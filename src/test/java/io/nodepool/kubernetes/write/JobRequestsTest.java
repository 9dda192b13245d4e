package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.model.Observation;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.model.repair.VerificationJob.State;
import io.nodepool.plan.Action;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests about the Jobs that verify repaired machines, and what is made of the answers. */
@EnableKubernetesMockClient(https = false)
@SuppressWarnings("NullAway.Init")
class JobRequestsTest {
  private static final String JOBS = "/apis/batch/v1/namespaces/checks/jobs";
  private static final String CONFIG_MAP = "/api/v1/namespaces/checks/configmaps/gpu-check";
  private static final String NAME = "nodepool-verify-1";
  private static final Action.Subject.OfNode NODE = new Action.Subject.OfNode("g1", "uid-of-g1");
  private static final Action.RunJob RUN =
      new Action.RunJob(NODE, "checks", NAME, "gpu-check", Duration.ofMinutes(30));
  private static final Action.ReadJob READ = new Action.ReadJob(NODE, "checks", NAME);

  private static final String TEMPLATE =
      """
      apiVersion: batch/v1
      kind: Job
      metadata: {name: anything, namespace: elsewhere}
      spec:
        parallelism: 8
        activeDeadlineSeconds: 7200
        template:
          spec:
            nodeName: g2
            nodeSelector: {pool: other}
            containers:
              - {name: check, image: check:1, resources: {limits: {nvidia.com/gpu: 8}}}
      """;

  KubernetesMockServer server;
  KubernetesClient client;

  private JobRequests requests() {
    KubernetesClient once =
        Clients.forRequests(client.getConfiguration(), new RequestMeter(new SimpleMeterRegistry()));
    return new JobRequests(new ApiRequests(once, () -> true));
  }

  private void template(String key, String text) {
    server
        .expect()
        .get()
        .withPath(CONFIG_MAP)
        .andReturn(200, new ConfigMapBuilder().withData(Map.of(key, text)).build())
        .once();
  }

  private static VerificationJob job(Answer<Observation> answer) {
    assertThat(answer).isInstanceOf(Answer.Done.class);
    Observation.JobSeen seen = (Observation.JobSeen) ((Answer.Done<Observation>) answer).object();
    assertThat(seen.nodeName()).isEqualTo("g1");
    assertThat(seen.nodeUid()).isEqualTo("uid-of-g1");
    assertThat(seen.job().name()).isEqualTo(NAME);
    return seen.job();
  }

  private static Job withCondition(String type, String status) {
    return new JobBuilder()
        .withNewStatus()
        .addNewCondition()
        .withType(type)
        .withStatus(status)
        .withReason("DeadlineExceeded")
        .withMessage("Job was active longer than specified deadline")
        .endCondition()
        .endStatus()
        .build();
  }

  @Test
  void theJobOfTheTemplateRunsOnceOnThatNodeWhateverKeepsOthersFromIt() throws Exception {
    template("job.yaml", TEMPLATE);
    server.expect().post().withPath(JOBS).andReturn(201, new JobBuilder().build()).once();

    assertThat(job(requests().run(RUN)).state()).isEqualTo(State.RUNNING);
    server.takeRequest();
    Job sent =
        client
            .getKubernetesSerialization()
            .unmarshal(server.takeRequest().getUtf8Body(), Job.class);
    assertThat(sent.getMetadata().getName()).isEqualTo(NAME);
    assertThat(sent.getMetadata().getNamespace()).isEqualTo("checks");
    assertThat(sent.getMetadata().getLabels()).containsEntry("nodepool.io/node", "g1");
    // It outlives the Node of a machine that did not pass.
    assertThat(sent.getMetadata().getOwnerReferences()).isEmpty();
    assertThat(sent.getSpec().getParallelism()).isEqualTo(1);
    assertThat(sent.getSpec().getActiveDeadlineSeconds()).isEqualTo(1800);
    assertThat(sent.getSpec().getBackoffLimit()).isZero();
    assertThat(sent.getSpec().getTtlSecondsAfterFinished()).isEqualTo(86_400);
    var pod = sent.getSpec().getTemplate().getSpec();
    assertThat(pod.getRestartPolicy()).isEqualTo("Never");
    assertThat(pod.getNodeName()).isNull();
    assertThat(pod.getNodeSelector()).isNullOrEmpty();
    assertThat(pod.getTolerations())
        .singleElement()
        .returns("Exists", Toleration::getOperator)
        .returns(null, Toleration::getKey);
    assertThat(
            pod.getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms()
                .getFirst()
                .getMatchFields()
                .getFirst()
                .getValues())
        .containsExactly("g1");
    assertThat(pod.getContainers().getFirst().getResources().getLimits())
        .containsKey("nvidia.com/gpu");
  }

  @ParameterizedTest
  @CsvSource({"0, 3600", "60, 3600", "3600, 3600", "7200, 7200"})
  void itIsKeptForAnHourAtLeastSoThatItsEndIsRead(int asked, int kept) throws Exception {
    template(
        "job.yaml",
        TEMPLATE.replace("parallelism: 8", "ttlSecondsAfterFinished: %d".formatted(asked)));
    server.expect().post().withPath(JOBS).andReturn(201, new JobBuilder().build()).once();

    requests().run(RUN);
    server.takeRequest();
    Job sent =
        client
            .getKubernetesSerialization()
            .unmarshal(server.takeRequest().getUtf8Body(), Job.class);
    assertThat(sent.getSpec().getTtlSecondsAfterFinished()).isEqualTo(kept);
  }

  @Test
  void aJobThatExistsIsReadAndNotCreatedAgain() {
    template("job.yaml", TEMPLATE);
    server
        .expect()
        .post()
        .withPath(JOBS)
        .andReturn(409, new StatusBuilder().withCode(409).withMessage("exists").build())
        .once();
    server
        .expect()
        .get()
        .withPath(JOBS + "/" + NAME)
        .andReturn(200, withCondition("Complete", "True"))
        .once();

    assertThat(job(requests().run(RUN)).state()).isEqualTo(State.SUCCEEDED);
  }

  @ParameterizedTest
  @CsvSource({
    "Complete, True, SUCCEEDED",
    "SuccessCriteriaMet, True, SUCCEEDED",
    "Failed, True, FAILED",
    "FailureTarget, True, FAILED",
    "Complete, False, RUNNING",
    "Suspended, True, RUNNING"
  })
  void itsConditionsSayWhatBecameOfIt(String type, String status, State state) {
    server
        .expect()
        .get()
        .withPath(JOBS + "/" + NAME)
        .andReturn(200, withCondition(type, status))
        .once();

    VerificationJob job = job(requests().read(READ));
    assertThat(job.state()).isEqualTo(state);
    assertThat(job.message())
        .isEqualTo(
            state == State.FAILED
                ? "DeadlineExceeded: Job was active longer than specified deadline"
                : "");
  }

  @Test
  void oneThatSomeoneDeletedIsGone() {
    assertThat(job(requests().read(READ)).state()).isEqualTo(State.GONE);
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThat(job(requests().run(RUN)))
        .isEqualTo(unusable("ConfigMap checks/gpu-check does not exist"));
    template("other.yaml", TEMPLATE);
    assertThat(job(requests().run(RUN)))
        .isEqualTo(unusable("ConfigMap checks/gpu-check has no key job.yaml"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../secrets/token", "Gpu", "a/b", "a..b", "a?x=1", "-a", "a%2fb"})
  void aNameThatIsNoneIsNeverPartOfAPath(String name) {
    VerificationJob job =
        job(requests().run(new Action.RunJob(NODE, "checks", NAME, name, Duration.ofMinutes(30))));
    assertThat(job)
        .isEqualTo(
            unusable(
                "\"%s\" is no name of a ConfigMap (annotation nodepool.io/verification-job of the NodePool)"
                    .formatted(name)));
    assertThat(server.getRequestCount()).isZero();
  }

  private static VerificationJob unusable(String why) {
    return new VerificationJob(NAME, State.UNUSABLE, why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "just words",
        "kind: Pod\napiVersion: v1",
        "kind: Job\napiVersion: batch/v2",
        "kind: Job\napiVersion: batch/v1",
        "kind: Job\napiVersion: batch/v1\nspec: {template: {spec: {containers: []}}}",
        "spec: [",
        ""
      })
  void aTemplateThatIsNoJobIsRefusedWithTheReason(String text) {
    template("job.yaml", text);
    VerificationJob job = job(requests().run(RUN));
    assertThat(job.state()).isEqualTo(State.UNUSABLE);
    assertThat(job.message()).startsWith("ConfigMap checks/gpu-check, key job.yaml");
  }

  @Test
  void whatTheApiServerRefusesIsToldAndWhatMayPassIsRepeated() {
    template("job.yaml", TEMPLATE);
    server
        .expect()
        .post()
        .withPath(JOBS)
        .andReturn(422, new StatusBuilder().withCode(422).withMessage("spec.x: Invalid").build())
        .once();
    VerificationJob refused = job(requests().run(RUN));
    assertThat(refused.state()).isEqualTo(State.UNUSABLE);
    assertThat(refused.message()).contains("the API server refuses the Job").contains("spec.x");

    server.expect().get().withPath(CONFIG_MAP).andReturn(503, "busy").once();
    assertThat(requests().run(RUN)).isInstanceOf(Answer.Unavailable.class);
    server.expect().get().withPath(JOBS + "/" + NAME).andReturn(500, "broken").once();
    assertThat(requests().read(READ)).isInstanceOf(Answer.Unavailable.class);
  }
}
