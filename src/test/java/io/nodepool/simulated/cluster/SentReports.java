package io.nodepool.simulated.cluster;

import io.nodepool.simulated.FleetAction;

/** The patches as which the simulated data centre reports on Hosts, for the virtual world. */
public final class SentReports {
  private static final FleetRequests REQUESTS = new FleetRequests("fleet", "default");

  private SentReports() {}

  /** The JSON patch of a report. */
  public static String patch(FleetAction.ReportHost action) {
    return REQUESTS.report(action.seen(), action.report()).body();
  }
}
