// The plugins of a session, loaded when something is opened by its name for the first time.
import { basename, dirname } from 'node:path';
import type { Plugins, Registered, Surroundings } from '../session.ts';
import type { LoadedPlugins, Plugin } from './plugin.ts';

type Loaded = LoadedPlugins & Registered;

export class SessionPlugins implements Plugins {
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

  async own(): Promise<Loaded> {
    return registered(this.#all ?? (await this.#loaded()));
  }

  async all(): Promise<Loaded> {
    this.#all ??= (await this.#ofConfig()) ?? (await this.#loaded());
    return registered(this.#all);
  }

  async followConfig(): Promise<void> {
    this.#all ??= await this.#ofConfig();
  }

  async runAllowed(
    { path, digest }: { readonly path: string; readonly digest: string },
    at: Surroundings,
  ): Promise<readonly string[] | null> {
    const { configIn } = await import('../place/config.ts');
    const config = configIn(dirname(path), at.env);
    if (config?.isCode !== true || config.realPath !== path || config.digest !== digest) return null;
    const { runConfigCode } = await import('../place/config-code.ts');
    const ran = await runConfigCode(config, at, { own: (await this.#loaded()).plugins });
    return (ran.config?.plugins ?? []).map(({ name }) => name);
  }

  #loaded(): Promise<LoadedPlugins> {
    this.#own ??= this.#loadOwn();
    return this.#own;
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
    return await runConfigCode(config, this.#surroundings, { own: (await this.#loaded()).plugins });
  }
}

function registered({ plugins, registry, config }: LoadedPlugins): Loaded {
  return {
    ...{ plugins, registry, config },
    sourceOf(part, name) {
      const plugin = plugins.find((one) => one[part]?.some((entry) => entry.name === name));
      if (plugin === undefined) return 'icecore';
      return config?.plugins.includes(plugin) === true ? `${plugin.name} (${basename(config.path)})` : plugin.name;
    },
  };
}
