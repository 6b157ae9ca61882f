// What a command gets beside its own arguments: where to write, how, and when to stop.

import { escapeControls } from '../base/escape.ts';
import { paintFor } from '../base/paint.ts';
import { jsonText } from '../base/printable-json.ts';
import type { CommandContext } from '../library/plugins/command.ts';
import { LazyPlugins } from '../library/plugins/lazy-plugins.ts';
import type { Session, SessionPlugins } from '../library/session.ts';
import { Workspace } from '../library/workspace.ts';
import type { GlobalFlags } from './globals.ts';
import type { Io } from './io.ts';
import { showingNotices } from './notices.ts';
import { Live } from './output/live.ts';
import { Progress } from './output/progress.ts';
import { mayNamePlugin, typedHere } from './program.ts';
import type { Commands } from './registry.ts';

export interface Context extends CommandContext {
  readonly io: Io;
  readonly flags: GlobalFlags;
  /** For the verbs of the library. */
  readonly session: Session;
  /** Runs another icecore command line, as if it had been typed. */
  invoke(argv: readonly string[], io: Io): Promise<number>;
}

export function createContext(
  io: Io,
  flags: GlobalFlags,
  invoke: Context['invoke'],
  plugins: SessionPlugins = new LazyPlugins(async () => [], null),
  loadCommands?: () => Promise<Commands>,
): Context {
  const say: Context['say'] = async (message) => {
    if (flags.quiet) return;
    if (typeof message === 'string') await io.stderr.write(`${escapeControls(message)}\n`);
    else await (await import('./output/print.ts')).writeDocument(io.stderr, io.env, message);
  };
  const hint: Context['hint'] = async (text) =>
    say(typedHere(text, { env, cwd, ledger: flags.ledger }, mayNamePlugin(text) ? await loadCommands?.() : undefined));
  const { env, cwd, signal, config } = io;
  const session: Session = {
    ...{ env, cwd, signal, plugins, notify: showingNotices({ io, flags, say, hint }), asksServer: true },
    ...(config === undefined ? {} : { config }),
    ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
  };
  const paint = paintFor(io.stdout, io.env);
  return {
    ...{ io, flags, session, paint, signal },
    workspace: new Workspace(session),
    print: async (result, options) => {
      if (typeof result === 'string') await io.stdout.write(result);
      else await (await import('./output/print.ts')).writeDocument(io.stdout, io.env, result, options);
    },
    printJson: (value) => io.stdout.write(`${jsonText(value)}\n`),
    say,
    hint,
    progress: (noun) => new Progress({ io, flags }, noun),
    live: () => new Live(io),
    invoke,
  };
}
