package io.nodepool.kubernetes.write;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.model.Observation;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.model.repair.VerificationJob.State;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.KubernetesNames;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Creates and reads the Jobs that verify repaired machines (decision D314). */
record JobRequests(ApiRequests requests) {
  /** The key of the ConfigMap that contains the Job. */
  static final String KEY = "job.yaml";

  private static final Set<String> SUCCEEDED = Set.of("Complete", "SuccessCriteriaMet");
  private static final Set<String> FAILED = Set.of("Failed", "FailureTarget");

  /** Creates the Job, or reads the Job if one of this name exists. */
  Answer<Observation> run(Action.RunJob action) {
    // The name becomes part of a path.
    if (!KubernetesNames.isObjectName(action.configMap())) {
      return unusable(
          action,
          "%s is no name of a ConfigMap (annotation %s of the NodePool)"
              .formatted(
                  UserText.quoted(action.configMap()), PoolAnnotations.VERIFICATION_JOB.key()));
    }
    String configMap = "ConfigMap %s/%s".formatted(action.namespace(), action.configMap());
    Reply reply = requests.get(ApiPaths.configMap(action.namespace(), action.configMap()));
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.isNotFound()
          ? unusable(action, configMap + " does not exist")
          : unusable(action, configMap + " cannot be read", reply);
    }
    Map<String, String> data = requests.parse(ok, ConfigMap.class).getData();
    String template = data == null ? null : data.get(KEY);
    if (template == null) {
      return unusable(action, "%s has no key %s".formatted(configMap, KEY));
    }
    JobTemplate job = new JobTemplate(action, configMap + ", key " + KEY);
    try {
      return created(action, job.of(template, requests));
    } catch (JobTemplate.InvalidTemplateException e) {
      return unusable(action, String.valueOf(e.getMessage()));
    }
  }

  private Answer<Observation> created(Action.RunJob action, Job job) {
    Reply reply = requests.post(ApiPaths.jobs(action.namespace()), requests.json(job));
    if (reply instanceof Reply.Ok ok) {
      return seen(action.subject(), action.job(), ok);
    }
    return reply.isTaken()
        ? read(new Action.ReadJob(action.subject(), action.namespace(), action.job()))
        : unusable(action, "the API server refuses the Job", reply);
  }

  /** Reads the Job. */
  Answer<Observation> read(Action.ReadJob action) {
    Reply reply = requests.get(ApiPaths.jobs(action.namespace()) + "/" + action.job());
    if (reply instanceof Reply.Ok ok) {
      return seen(action.subject(), action.job(), ok);
    }
    return reply.isNotFound()
        ? answer(action.subject(), new VerificationJob(action.job(), State.GONE, ""))
        // A read changes nothing, so it can be repeated after any failure.
        : new Answer.Unavailable<>("the Job could not be read: " + reply.why());
  }

  private Answer<Observation> seen(Action.Subject.OfNode subject, String name, Reply.Ok ok) {
    Job job = requests.parse(ok, Job.class);
    List<JobCondition> conditions =
        job.getStatus() == null ? List.of() : job.getStatus().getConditions();
    VerificationJob unlessFailed =
        new VerificationJob(
            name,
            condition(conditions, SUCCEEDED).isPresent() ? State.SUCCEEDED : State.RUNNING,
            "");
    return answer(
        subject,
        condition(conditions, FAILED)
            .map(each -> "%s: %s".formatted(each.getReason(), each.getMessage()))
            .map(why -> new VerificationJob(name, State.FAILED, UserText.explanation(why)))
            .orElse(unlessFailed));
  }

  private static Optional<JobCondition> condition(
      List<JobCondition> conditions, Set<String> types) {
    return conditions.stream()
        .filter(each -> types.contains(each.getType()) && "True".equals(each.getStatus()))
        .findFirst();
  }

  /** A failure that a retry cannot correct makes the Job unusable; other failures are retried. */
  private static Answer<Observation> unusable(Action.RunJob action, String what, Reply reply) {
    Answer<Observation> failure = reply.failure();
    return failure instanceof Answer.Denied<Observation>
            || failure instanceof Answer.Missing<Observation>
        ? unusable(action, "%s: %s".formatted(what, reply.why()))
        : failure;
  }

  private static Answer<Observation> unusable(Action.RunJob action, String why) {
    return answer(action.subject(), new VerificationJob(action.job(), State.UNUSABLE, why));
  }

  private static Answer<Observation> answer(Action.Subject.OfNode subject, VerificationJob job) {
    return new Answer.Done<>(new Observation.JobSeen(subject.name(), subject.uid(), job));
  }
}
