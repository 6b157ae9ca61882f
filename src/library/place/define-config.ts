// What an icecore.config.ts gives: plain settings, as JSON has them, and plugins.
import type { RunDefaults } from '../../../schemas/config.ts';
import type { ModelEntries } from '../../../schemas/models.ts';
import type { ReadonlyDeep } from '../../../schemas/readonly.ts';
import type { Plugin } from '../plugins/plugin.ts';

/** What `icecore.config.ts` may set. */
export interface UserConfig {
  /** The URL of the ledger; relative paths are meant from the folder of the file. */
  readonly ledger?: string | { readonly decisions: string; readonly evidence: string };
  /** The URL of the blob store. */
  readonly blobs?: string;
  /** `inline`: texts are recorded in their events. `blobs`: they can be erased later. */
  readonly texts?: 'inline' | 'blobs';
  /** Models by name: endpoints that speak OpenAI's chat protocol. */
  readonly models?: ReadonlyDeep<ModelEntries>;
  /** Made by `definePlugin`. */
  readonly plugins?: readonly Plugin[];
  /** Settings of new runs, where neither options nor a run file say otherwise. */
  readonly defaults?: ReadonlyDeep<RunDefaults>;
}

/** As it is, promised, or given by a function that icecore calls. */
export type ConfigExport = UserConfig | Promise<UserConfig> | (() => UserConfig | Promise<UserConfig>);

/** For the types alone: it gives back what it gets. */
export function defineConfig<const Defined extends ConfigExport>(config: Defined): Defined {
  return config;
}
