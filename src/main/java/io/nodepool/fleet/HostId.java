package io.nodepool.fleet;

/** The identity of a Host: its UID. Its name is also the name of the Node that it joins as. */
public record HostId(String name, String uid) {}
