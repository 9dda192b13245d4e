package io.nodepool.plugin.host;

import io.nodepool.plugin.input.CommandGroup;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool host}. */
@Command(
    name = "host",
    description =
        "Show Hosts, put those back into service that were set aside, and say of failed ones that they cannot run.")
public final class HostCommand extends CommandGroup {
  @Override
  protected SequencedMap<String, Class<?>> commands() {
    SequencedMap<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("get", GetHosts.class);
    commands.put("release", ReleaseHosts.class);
    commands.put("fenced", FencedHosts.class);
    return commands;
  }
}
