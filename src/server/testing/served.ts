// A server for tests: the application in this process, without a socket, on a workspace with a whole run.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openWorkspace } from '../../index.ts';
import { createApp, type Limits, usualLimits } from '../app.ts';
import { allowedNames } from '../guard.ts';
import { LocalBackend } from '../local-backend.ts';
import type { Level } from '../log.ts';
import { Metrics } from '../metrics.ts';
import type { Page } from '../page.ts';
import type { Tokens } from '../tokens.ts';

export interface Served {
  /** As a client on this machine asks. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** The JSON of the answer. */
  json(path: string, init?: RequestInit): Promise<Record<string, unknown>>;
  readonly log: { readonly level: Level; readonly message: string }[];
  /** As a server does that stops. */
  drain(): void;
}

interface ServedOptions {
  readonly tokens?: Tokens;
  /** By default, it is not built. */
  readonly page?: Page;
  readonly limits?: Partial<Limits>;
}

export async function served(cwd: string, { tokens, limits, page }: ServedOptions = {}): Promise<Served> {
  const backend = new LocalBackend(
    await openWorkspace({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'user') } }),
  );
  const [draining, stopped] = [new AbortController(), new AbortController()];
  const log: Served['log'][number][] = [];
  const { hono, live } = createApp({
    ...{
      backend,
      ledger: 'sqlite:ledger.db',
      place: null,
      tokens: tokens ?? null,
      page: page ?? null,
      metrics: new Metrics(),
    },
    names: allowedNames('127.0.0.1', []),
    log: (level, message) => void log.push({ level, message }),
    limits: { ...usualLimits, ...limits },
    ...{ draining: draining.signal, stopped: stopped.signal },
  });
  onTestFinished(async () => {
    draining.abort();
    stopped.abort();
    await live.ended();
    await backend.close();
  });
  const request: Served['request'] = async (path, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('host')) headers.set('host', 'localhost:7420');
    return await hono.request(path, { ...init, headers });
  };
  return {
    request,
    json: async (path, init) => (await (await request(path, init)).json()) as Record<string, unknown>,
    log,
    drain: () => draining.abort(),
  };
}
