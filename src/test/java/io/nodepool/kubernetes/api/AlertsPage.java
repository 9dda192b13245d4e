package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.code;
import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.AlertSubject;
import io.nodepool.health.catalogue.Grade;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** The alert catalogue that ships with the operator. */
final class AlertsPage {
  private static final List<String> COLUMNS =
      row(
          "Name",
          "Grade",
          "Overrides eviction",
          "Hold",
          "Subject",
          "Symptom of",
          "Per boot",
          "Other names",
          "Conditions of Nodes",
          "Meaning",
          "Reason of the grade");

  private AlertsPage() {}

  static String text() {
    List<Alert> alerts = AlertCatalogue.shipped().all();
    return new Markdown("Alerts")
        .paragraph(
            "The alerts that ship with the operator. [The page on health](../health.md#the-alert-catalogue) describes the columns, and how a ConfigMap changes"
                + " and extends them. An alert that is not here is watched.")
        .heading("Grades")
        .paragraph(
            "What is to be done about an alert, from the weakest to the strongest; [what this operator does already](../health.md). A grade with \"when idle\" waits as long"
                + " as a pool protects work (`disableUnhealthyNodeEviction: true`, the default); with `false` the Node is drained instead, within"
                + " disruption budgets and up to the drain deadline.")
        .table(
            row("Grade", "Meaning", "Alerts"),
            Arrays.stream(Grade.values())
                .map(grade ->
                    row(
                        code(grade.word()),
                        grade.meaning(),
                        String.valueOf(
                            alerts.stream().filter(alert -> alert.grade() == grade).count())))
                .toList())
        .heading("Subjects")
        .paragraph("What an alert is about.")
        .table(
            row("Subject", "Meaning"),
            Arrays.stream(AlertSubject.values())
                .map(subject -> row(code(subject.word()), subject.meaning()))
                .toList())
        .heading("Alerts of the reference")
        .paragraph(
            "Those of CoreWeave's documentation: the meaning is its text. The reason quotes the words that state the grade; where the text states"
                + " none, the grade is ours.")
        .table(COLUMNS, rows(alerts, Alert.Source.REFERENCE))
        .heading("Alerts of this operator")
        .table(COLUMNS, rows(alerts, Alert.Source.OURS))
        .text();
  }

  private static List<List<String>> rows(List<Alert> alerts, Alert.Source source) {
    return alerts.stream()
        .filter(alert -> alert.source() == source)
        .map(alert ->
            row(
                code(alert.name()),
                alert.grade().word(),
                yes(alert.overridesEviction()),
                hold(alert.hold()),
                alert.subject().word(),
                codes(alert.symptomOf()),
                yes(alert.perBoot()),
                codes(alert.aliases()),
                codes(alert.nodeConditions()),
                alert.meaning(),
                alert.reason()))
        .toList();
  }

  private static String yes(boolean holds) {
    return holds ? "yes" : "";
  }

  private static String hold(Duration hold) {
    return hold.isZero()
        ? ""
        : hold.toMinutesPart() == 0 ? hold.toHours() + " h" : hold.toMinutes() + " min";
  }

  private static String codes(Collection<String> words) {
    return words.stream().map(Markdown::code).collect(Collectors.joining(", "));
  }
}
