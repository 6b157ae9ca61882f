// Opens a workspace with plugins, for programs; the command line creates a session from its own streams and flags.
import { LazyPlugins } from './plugins/lazy-plugins.ts';
import { type Plugin, registryOf } from './plugins/plugin.ts';
import type { Notice } from './session.ts';
import { Workspace } from './workspace.ts';

/** Where to find the workspace, and what to open it with. */
export interface WorkspaceOptions {
  /** Where to look upward for `.icecore` and settings (default: the current folder). */
  readonly cwd?: string;
  /** The URL of a ledger to use instead of the workspace's. */
  readonly ledger?: string;
  /** Variables such as `ICECORE_WORKSPACE` and keys of models (default: those of the process). */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Your plugins, made by `definePlugin`. */
  readonly plugins?: readonly Plugin[];
  /** False to ignore settings files (`icecore.config.json`, `icecore.config.ts`). */
  readonly config?: false;
  /** Stops all work; a stopped run can be resumed. */
  readonly signal?: AbortSignal;
  /** Called with notices during the work: waiting for a store, progress, unknown events. */
  readonly onNotice?: (notice: Notice) => void;
}

/** Finds the workspace. Nothing is opened or created before a method needs it. Throws NameTaken and BadPlugin. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, signal, onNotice, ledger, config, plugins = [] } = options;
  // Report errors in plugins here, not in the first method that needs one.
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
