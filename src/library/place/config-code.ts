// Runs the code of an icecore.config, once this user has allowed exactly its content, and returns what it registers. One error
// invalidates the whole file.

import { registerHooks } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { found } from '../../../schemas/errors.ts';
import { isObject } from '../../../schemas/json-text.ts';
import { escapeControls } from '../../base/escape.ts';
import { digestOf } from '../consent/consents.ts';
import { Gate } from '../consent/gate.ts';
import { BadPlugin, NameTaken, type Plugin, registryOf } from '../plugins/plugin.ts';
import type { LoadedPlugins, StoppableSurroundings } from '../session.ts';
import { type Config, codeRequest, requestsOf } from './config.ts';
import { recordSettings } from './recorded-settings.ts';
import { BadConfig, badField, checkedSettings } from './settings-file.ts';

/** A module that waits forever is abandoned after this time. */
const maxSeconds = 30;

interface CodeOptions {
  /** Registered before those of the file. */
  readonly own: readonly Plugin[];
  readonly seconds?: number;
}

/** Throws Untrusted before anything runs, BadConfig, and the reason of the signal. */
export async function runConfigCode(
  config: Config,
  surroundings: StoppableSurroundings,
  { own, seconds = maxSeconds }: CodeOptions,
): Promise<LoadedPlugins<Plugin>> {
  const { env, signal } = surroundings;
  signal?.throwIfAborted();
  new Gate(surroundings).requireRequests(config, [codeRequest], () => requestsOf(config, env));
  const given = await inTime(exportOf(config), config.path, seconds, signal);
  const settings = checkedSettings(config.path, given, ['plugins']);
  const plugins = pluginsIn(config.path, given);
  const registry = registered(config.path, own, plugins);
  recordSettings(config, structuredClone(settings), env);
  return { plugins: [...own, ...plugins], registry, config: { path: config.path, plugins } };
}

/** The default export, which may be a function or a promise. */
async function exportOf(config: Config): Promise<unknown> {
  try {
    const { default: exported } = await importExactly(config);
    const given: unknown = await (typeof exported === 'function' ? (exported as () => unknown)() : exported);
    if (given !== undefined) return given;
  } catch (fault) {
    throw fault instanceof BadConfig ? fault : badCode(config.path, fault);
  }
  const issue = { field: 'default', found: 'no default export', allowed: 'export default defineConfig({ ... })' };
  throw badField(config.path, issue, `For example: export default { ledger: 'sqlite:.icecore/ledger.db' };`);
}

/** Executes exactly the content that was read and allowed, even if the file is replaced meanwhile. */
async function importExactly({ realPath, digest }: Config): Promise<{ readonly default?: unknown }> {
  resolveIcecore();
  // A long-running process imports new content as a new module.
  const url = `${pathToFileURL(realPath).href}?${digest}`;
  const guard = registerHooks({
    load: (asked, context, next) => {
      const loaded = next(asked, context);
      if (asked !== url || loaded.source === null || loaded.source === undefined) return loaded;
      const { source } = loaded;
      const bytes = typeof source === 'string' ? source : new Uint8Array(source as ArrayBuffer);
      if (digestOf(bytes) === digest) return loaded;
      const issue = { field: '', found: 'content that changed a moment ago', allowed: 'a file that does not change' };
      throw badField(realPath, issue, 'Run the command again.');
    },
  });
  try {
    return (await import(/* @vite-ignore */ url)) as { readonly default?: unknown };
  } finally {
    guard.deregister();
  }
}

let isResolved = false;

/** If icecore is not installed next to the file, `icecore` resolves to the running one. */
function resolveIcecore(): void {
  if (isResolved) return;
  isResolved = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (fault) {
        const own = ownModule(specifier);
        if (own === null) throw fault;
        return next(own, context);
      }
    },
  });
}

const exported: Readonly<Record<string, string>> = {
  icecore: 'index',
  'icecore/ledger': 'library/ledger',
  'icecore/plugins': 'library/plugins/index',
  'icecore/tools': 'library/plugins/tools',
  'icecore/document': 'document/index',
  'icecore/testing': 'library/contract/index',
  'icecore/schemas': '../schemas/index',
};

function ownModule(specifier: string): string | null {
  const file = exported[specifier];
  if (file === undefined) return null;
  // A clone runs TypeScript, the package JavaScript.
  return new URL(`../../${file}${extname(import.meta.url)}`, import.meta.url).href;
}

async function inTime(
  exporting: Promise<unknown>,
  path: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const issue = { field: '', found: `code that does not end within ${seconds} s`, allowed: 'code that ends' };
  const remedy = 'Look for a top-level await, in the file or its imports, that never completes.';
  const timer = setTimeout(() => late.reject(badField(path, issue, remedy)), seconds * 1000);
  const stop = (): void => late.reject(signal?.reason);
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([exporting, late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    // A late result or error is ignored.
    exporting.catch(() => {});
  }
}

function badCode(path: string, fault: unknown): BadConfig {
  const { name, message, code } = fault instanceof Error ? (fault as NodeJS.ErrnoException) : faultOf(fault);
  const said = escapeControls(message);
  if (name === 'SyntaxError') {
    const { file, line } = placeOf(fault);
    const elsewhere = file === null || file === path ? '' : ` in ${file}`;
    const where = line === null ? '' : `, line ${line}${elsewhere}`;
    const issue = {
      field: '',
      found: said,
      allowed: 'JavaScript, or TypeScript of which only types need to be removed',
    };
    return new BadConfig(path, where, [issue], 'Fix it there.', fault);
  }
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    const issue = { field: 'import', found: said, allowed: 'installed modules' };
    return badField(path, issue, 'Install the package next to the file, or correct the import.', fault);
  }
  const issue = { field: '', found: `code that throws ${name}: ${said}`, allowed: 'code that runs to its end' };
  return badField(path, issue, 'Fix it there.', fault);
}

function faultOf(thrown: unknown): NodeJS.ErrnoException {
  return { name: 'a value that is not an error', message: String(thrown) };
}

/** Node starts the stack of a syntax error with its location. */
function placeOf(fault: unknown): { readonly file: string | null; readonly line: number | null } {
  const [first = ''] = ((fault as Error).stack ?? '').split('\n');
  const [, place = '', line] = /^(.+?)(?:\?[0-9a-f]{64})?:([0-9]+)$/.exec(first) ?? [];
  if (line === undefined) return { file: null, line: null };
  return { file: place.startsWith('file:') ? fileURLToPath(place) : place, line: Number(line) };
}

function pluginsIn(path: string, given: unknown): readonly Plugin[] {
  const plugins = isObject(given) ? given['plugins'] : undefined;
  if (plugins === undefined) return [];
  const remedy = 'For example: plugins: [definePlugin({ name: "acme", engineers: [...] })]';
  if (!Array.isArray(plugins)) {
    throw badField(path, { field: 'plugins', found: found(plugins), allowed: 'a list of plugins' }, remedy);
  }
  for (const [i, plugin] of plugins.entries()) {
    if (!isObject(plugin)) {
      const allowed = 'a plugin, made by definePlugin';
      throw badField(path, { field: `plugins[${i}]`, found: found(plugin), allowed }, remedy);
    }
    const { name } = plugin;
    if (typeof name !== 'string')
      throw badField(path, { field: `plugins[${i}].name`, found: found(name), allowed: 'a name' }, remedy);
  }
  return plugins as readonly Plugin[];
}

function registered(path: string, own: readonly Plugin[], plugins: readonly Plugin[]): LoadedPlugins['registry'] {
  try {
    return registryOf([...own, ...plugins]);
  } catch (fault) {
    const fieldOf = (name: unknown): string => {
      const i = plugins.findLastIndex((plugin) => plugin.name === name);
      return i < 0 ? 'plugins' : `plugins[${i}]`;
    };
    if (fault instanceof NameTaken) {
      const [, second] = fault.facts['plugins'] as readonly [string, string];
      const issue = { field: fieldOf(second), found: fault.message, allowed: 'unique names' };
      throw badField(path, issue, fault.remedy, fault);
    }
    if (fault instanceof BadPlugin) {
      const { plugin, field, found, allowed } = fault.facts as Readonly<Record<string, string>>;
      const issue = { field: `${fieldOf(plugin)}.${field}`, found: String(found), allowed: String(allowed) };
      throw badField(path, issue, fault.remedy, fault);
    }
    throw fault;
  }
}
