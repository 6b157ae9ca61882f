// What `icecore serve` does: starts the server, says where it answers, and stops it at a signal.
import type { ServeResult } from '../../../schemas/server-output.ts';
import { moduleBeside } from '../../base/threads.ts';
import { ServedPlace } from '../../library/own-server.ts';
import { findPlace } from '../../library/place/place.ts';
import { Workspace } from '../../library/workspace.ts';
import { LocalBackend } from '../../server/local-backend.ts';
import { jsonLog, type Log } from '../../server/log.ts';
import type { Backend } from '../../server/operation.ts';
import { unbuilt } from '../../server/page.ts';
import { type RunningServer, startServer } from '../../server/server.ts';
import { ThreadBackend } from '../../server/thread-backend.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { openInBrowser } from './browser.ts';

interface ServeOptions {
  readonly port?: number;
  readonly host: string;
  readonly tokens?: string;
  readonly allowHost?: readonly string[];
  readonly open?: true;
}

export async function serve(context: Context, options: ServeOptions): Promise<number> {
  const { io, flags, session, signal } = context;
  const all = jsonLog((line) => void io.stderr.write(line));
  const log: Log = (level, message, facts) => {
    if (!flags.quiet || level !== 'info') all(level, message, facts);
  };
  const { workspace, ledger } = findPlace(session);
  const { host, port = null, tokens = null, allowHost: allowHosts = [] } = options;
  const backend = backendOf(context, log);
  try {
    const { path } = workspace;
    const running = await startServer({
      ...{ backend, ledger: ledger.url, place: new ServedPlace(ledger, session) },
      ...{ workspace: path, host, port, allowHosts, tokens, log },
    });
    const { url, socket } = running;
    const result = { url, socket, workspace: path, ledger: ledger.url, tokens: tokens !== null };
    await announce(context, running, result);
    if (options.open === true) openInBrowser(running.url, (fault) => log('warning', 'no browser opened', { fault }));
    await aborted(signal);
    await running.stop();
  } finally {
    await backend.close();
  }
  return session.signal.aborted ? exitCodeOf(signal.reason as StopSignal) : 0;
}

/** Plugins of a program that embeds the command line cannot move to a thread, so its workspace stays here. */
function backendOf({ io, session }: Context, log: Log): Backend {
  const { asksServer: _, ...own } = session;
  if (io.plugins !== undefined && io.plugins.length > 0) return new LocalBackend(new Workspace(own));
  const { cwd, env, ledger, config } = session;
  const options = {
    ...{ cwd, env: { ...env } },
    ...(ledger === undefined ? {} : { ledger }),
    ...(config === undefined ? {} : { config }),
  };
  const opener = moduleBeside('../../index', import.meta.url).href;
  return new ThreadBackend({ opener, options }, (text) => log('info', text));
}

async function announce(context: Context, running: RunningServer, result: ServeResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  const tunnel = tunnelTo(running.port, context.io.env);
  const there =
    tunnel === null ? '' : `From your own machine: ${tunnel}, then open http://localhost:${running.port}/\n`;
  await context.print(`icecore serves ${result.workspace} at ${result.url}\n${there}`);
  if (!running.hasPage) await context.say(`There is no page for browsers: ${unbuilt.remedy}`);
}

/** The command that reaches the port from the machine where the user sits; null without an SSH connection. */
function tunnelTo(port: number, env: Context['io']['env']): string | null {
  const [, , address, sshPort = '22'] = (env['SSH_CONNECTION'] ?? '').split(' ');
  if (address === undefined || !/^[\w.:%-]+$/.test(address) || !/^\d+$/.test(sshPort)) return null;
  const user = /^[\w.-]+$/.test(env['USER'] ?? '') ? `${env['USER']}@` : '';
  return `ssh -N -L ${port}:127.0.0.1:${port}${sshPort === '22' ? '' : ` -p ${sshPort}`} ${user}${address}`;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
