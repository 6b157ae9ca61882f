// The plugins of a session, loaded when something is first opened by name.
import type { LoadedPlugins, PluginData, SessionPlugins, StoppableSurroundings } from '../session.ts';
import type { Plugin } from './plugin.ts';

type Loaded = LoadedPlugins<Plugin>;

export class LazyPlugins implements SessionPlugins<Plugin> {
  readonly #load: () => Promise<readonly Plugin[]>;
  readonly #surroundings: StoppableSurroundings | null;
  readonly #given: readonly Plugin[];
  #data: Promise<PluginData> | null = null;
  #own: Promise<Loaded> | null = null;
  #all: Loaded | null = null;

  /**
   * `load`: the plugins of icecore and of the program it is part of. `surroundings`: where to look for the code of a settings file;
   * null if none may run. `given`: those of the program, which are loaded already.
   */
  constructor(
    load: () => Promise<readonly Plugin[]>,
    surroundings: StoppableSurroundings | null,
    given: readonly Plugin[] = [],
  ) {
    this.#load = load;
    this.#surroundings = surroundings;
    this.#given = given;
  }

  async atHand(): Promise<PluginData> {
    if (this.#all !== null) return this.#all.registry;
    this.#data ??= dataOf(this.#given);
    return await this.#data;
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

  async runConfigIn(surroundings: StoppableSurroundings): Promise<Loaded | null> {
    const { findConfig } = await import('../place/config.ts');
    const config = findConfig(surroundings);
    if (config?.isCode !== true) return null;
    const { runConfigCode } = await import('../place/config-code.ts');
    const { plugins: own } = await this.#loadedOwn();
    return await runConfigCode(config, surroundings, { own });
  }

  #loadedOwn(): Promise<Loaded> {
    this.#own ??= this.#load().then(async (plugins) => {
      const { registryOf } = await import('./plugin.ts');
      return { plugins, registry: registryOf(plugins), config: null };
    });
    return this.#own;
  }
}

async function dataOf(plugins: readonly Plugin[]): Promise<PluginData> {
  if (plugins.length === 0) return { eventTypes: [], tables: [], plugins: [] };
  const { eventTypesOf, tablesOf } = await import('./parts.ts');
  return { eventTypes: eventTypesOf(plugins), tables: tablesOf(plugins), plugins: plugins.map(({ name }) => name) };
}
