// What an icecore.config.ts exports: plain settings, as in JSON, and plugins.
import type { RunDefaults } from '../../../schemas/config.ts';
import type { ModelEntries } from '../../../schemas/models.ts';
import type { ReadonlyDeep } from '../../../schemas/readonly.ts';
import type { Plugin } from '../plugins/plugin.ts';

/** What `icecore.config.ts` may set. */
export interface UserConfig {
  /** The URL of the ledger; relative paths are relative to the file. */
  readonly ledger?: string | { readonly decisions: string; readonly evidence: string };
  /** The URL of the blob store. */
  readonly blobs?: string;
  /** `inline`: texts are recorded in their events. `blobs`: they can be erased later. */
  readonly texts?: 'inline' | 'blobs';
  /** Models by name: endpoints that speak OpenAI's chat protocol. */
  readonly models?: ReadonlyDeep<ModelEntries>;
  /** Made by `definePlugin`. */
  readonly plugins?: readonly Plugin[];
  /** Default settings of new runs; options and run files override them. */
  readonly defaults?: ReadonlyDeep<RunDefaults>;
}

/** A configuration, a promise of one, or a function that returns either. */
export type ConfigExport = UserConfig | Promise<UserConfig> | (() => UserConfig | Promise<UserConfig>);

/** Provides types for an `icecore.config.ts`; returns its argument. */
export function defineConfig<const Defined extends ConfigExport>(config: Defined): Defined {
  return config;
}
