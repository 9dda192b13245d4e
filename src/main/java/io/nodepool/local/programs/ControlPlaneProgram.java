package io.nodepool.local.programs;

import java.util.Arrays;
import java.util.List;

/** The four programs of a Kubernetes control plane, in the order in which they start. */
public enum ControlPlaneProgram {
  /** The store. */
  ETCD("etcd"),
  /** The API server. */
  API_SERVER("kube-apiserver"),
  /** The controllers of Kubernetes: Deployments, garbage collection, taints of silent Nodes. */
  CONTROLLER_MANAGER("kube-controller-manager"),
  /** Binds Pods to Nodes. */
  SCHEDULER("kube-scheduler");

  private final String fileName;

  ControlPlaneProgram(String fileName) {
    this.fileName = fileName;
  }

  /** The name of the program's file, and of its log without the extension. */
  public String fileName() {
    return fileName;
  }

  /** The names of all four files. */
  public static List<String> fileNames() {
    return Arrays.stream(values()).map(ControlPlaneProgram::fileName).toList();
  }
}
