// The plugins of a session, loaded when something is opened by its name for the first time.
import type { LoadedPlugins, SessionPlugins, Surroundings } from '../session.ts';
import type { Plugin } from './plugin.ts';

type Loaded = LoadedPlugins<Plugin>;

export class LazyPlugins implements SessionPlugins<Plugin> {
  readonly #load: () => Promise<readonly Plugin[]>;
  readonly #surroundings: Surroundings | null;
  #own: Promise<Loaded> | null = null;
  #all: Loaded | null = null;

  /**
   * `load`: the plugins of icecore and of the program that it is part of. `surroundings`: where the code of a settings file is looked
   * for; null where none may run.
   */
  constructor(load: () => Promise<readonly Plugin[]>, surroundings: Surroundings | null) {
    this.#load = load;
    this.#surroundings = surroundings;
  }

  async current(): Promise<Loaded> {
    return this.#all ?? (await this.#loadedOwn());
  }

  async all(): Promise<Loaded> {
    await this.followConfig();
    return await this.current();
  }

  async followConfig(): Promise<void> {
    if (this.#surroundings !== null) this.#all ??= await this.runConfigIn(this.#surroundings);
  }

  async runConfigIn(surroundings: Surroundings): Promise<Loaded | null> {
    const { findConfig } = await import('../place/config.ts');
    const config = findConfig(surroundings);
    if (config?.isCode !== true) return null;
    const { runConfigCode } = await import('../place/config-code.ts');
    return await runConfigCode(config, surroundings, { own: (await this.#loadedOwn()).plugins });
  }

  #loadedOwn(): Promise<Loaded> {
    this.#own ??= this.#load().then(async (plugins) => {
      const { registryOf } = await import('./plugin.ts');
      return { plugins, registry: registryOf(plugins), config: null };
    });
    return this.#own;
  }
}
