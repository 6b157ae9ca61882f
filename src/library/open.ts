// Opening a workspace with plugins, for programs; the command line makes a session of its own streams and flags.
import { LazyPlugins } from './plugins/lazy-plugins.ts';
import { type Plugin, registryOf } from './plugins/plugin.ts';
import type { Notice } from './session.ts';
import { Workspace } from './workspace.ts';

/** Where to find the workspace, and what to open it with. */
export interface WorkspaceOptions {
  /** Where to look for `.icecore` and settings, upward; the current folder where left out. */
  readonly cwd?: string;
  /** The URL of a ledger to use instead of the workspace's. */
  readonly ledger?: string;
  /** Variables such as `ICECORE_WORKSPACE` and keys of models; those of the process where left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What you add to icecore, made by `definePlugin`. */
  readonly plugins?: readonly Plugin[];
  /** False to look at no settings file (`icecore.config.json`, `icecore.config.ts`). */
  readonly config?: false;
  /** Stops whatever goes on; a run that is stopped can be resumed. */
  readonly signal?: AbortSignal;
  /** What happens meanwhile: waiting for a store, progress, events that are not known. */
  readonly onNotice?: (notice: Notice) => void;
}

/** Finds the workspace. Nothing is opened or created before a method needs it. Throws NameTaken and BadPlugin. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, signal, onNotice, ledger, config, plugins = [] } = options;
  // What is wrong with them is thrown here, and not by the first method that needs one.
  registryOf(plugins);
  const surroundings = {
    ...{ cwd, env },
    ...(config === undefined ? {} : { config }),
    ...(signal === undefined ? {} : { signal }),
  };
  return new Workspace({
    ...surroundings,
    signal: signal ?? new AbortController().signal,
    plugins: new LazyPlugins(async () => plugins, surroundings, plugins),
    notify: async (notice) => onNotice?.(notice),
    ...(ledger === undefined ? {} : { ledger }),
  });
}
