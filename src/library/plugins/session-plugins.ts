// The plugins of a session, loaded when something is opened by its name for the first time.
import type { Registry } from '../../lab/registry.ts';
import type { Surroundings } from '../session.ts';
import type { Plugin } from './plugin.ts';

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly registry: Registry;
  /** The settings file whose code ran, and what it registers; those are the last of all. */
  readonly config: { readonly path: string; readonly plugins: readonly Plugin[] } | null;
}

export class SessionPlugins {
  readonly #load: () => Promise<readonly Plugin[]>;
  readonly #surroundings: Surroundings | null;
  #own: Promise<LoadedPlugins> | null = null;
  #all: LoadedPlugins | null = null;

  /**
   * `load`: the plugins of icecore and of the program that it is part of. `surroundings`: where the code of a settings file is looked
   * for; null where none may run.
   */
  constructor(load: () => Promise<readonly Plugin[]>, surroundings: Surroundings | null) {
    this.#load = load;
    this.#surroundings = surroundings;
  }

  /** For verbs that only look: nothing that was found is executed. */
  own(): Promise<LoadedPlugins> {
    this.#own ??= this.#loadOwn();
    return this.#own;
  }

  /** For verbs that work: with what the settings file registers, whose code runs. Throws Untrusted and BadConfig. */
  async all(): Promise<LoadedPlugins> {
    this.#all ??= (await this.#ofConfig()) ?? (await this.own());
    return this.#all;
  }

  /** Runs the code of the settings file, where it is code: what it says is known from then on. */
  async followConfig(): Promise<void> {
    this.#all ??= await this.#ofConfig();
  }

  async #loadOwn(): Promise<LoadedPlugins> {
    const { registryOf } = await import('./plugin.ts');
    const plugins = await this.#load();
    return { plugins, registry: registryOf(plugins), config: null };
  }

  /** Null where no settings file has code, or none may run. */
  async #ofConfig(): Promise<LoadedPlugins | null> {
    if (this.#surroundings === null) return null;
    const { findConfig } = await import('../place/config.ts');
    const config = findConfig(this.#surroundings);
    if (config?.isCode !== true) return null;
    const { runConfigCode } = await import('../place/config-code.ts');
    return await runConfigCode(config, this.#surroundings, { own: (await this.own()).plugins });
  }
}
