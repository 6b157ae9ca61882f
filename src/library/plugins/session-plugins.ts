// The plugins of a session, loaded when something is opened by its name for the first time.
import type { Registry } from '../../lab/registry.ts';
import type { Plugin } from './plugin.ts';

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly registry: Registry;
}

export class SessionPlugins {
  readonly #load: () => Promise<readonly Plugin[]>;
  #own: Promise<LoadedPlugins> | null = null;

  /** `load`: the plugins of icecore and of the program that it is part of. */
  constructor(load: () => Promise<readonly Plugin[]>) {
    this.#load = load;
  }

  /** For verbs that only look: no code that was found is executed. */
  own(): Promise<LoadedPlugins> {
    this.#own ??= this.#loadOwn();
    return this.#own;
  }

  /** For verbs that work: with what the settings file registers. */
  all(): Promise<LoadedPlugins> {
    return this.own();
  }

  async #loadOwn(): Promise<LoadedPlugins> {
    const { registryOf } = await import('./plugin.ts');
    const plugins = await this.#load();
    return { plugins, registry: registryOf(plugins) };
  }
}
