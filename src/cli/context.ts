// What a command is given besides its own arguments: where to write, how, and when to stop.

import { paintFor } from '../base/paint.ts';
import { jsonText } from '../base/printable-json.ts';
import type { Paint } from '../base/terminal.ts';
import { visible } from '../base/visible.ts';
import type { Registry } from '../lab/registry.ts';
import { registryOf } from '../library/plugins/plugin.ts';
import type { Session } from '../library/session.ts';
import type { GlobalFlags } from './globals.ts';
import type { Io } from './io.ts';
import { showingNotices } from './notices.ts';
import { typedHere } from './program.ts';

export interface Context {
  readonly io: Io;
  readonly flags: GlobalFlags;
  /** Colours for standard output; plain where it is no terminal. */
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** For the verbs of the library. */
  readonly session: Session;
  /** Writes a result for people: the text as it is, on standard output. */
  print(text: string): Promise<void>;
  /** Writes a result for programs: one line of JSON on standard output. */
  printJson(value: unknown): Promise<void>;
  /** Says something to the person at the terminal, on standard error, as it is written; `--quiet` silences it. */
  say(text: string): Promise<void>;
  /** Says what to type next, in words of icecore's own: its commands are shown as they must be typed here. */
  hint(text: string): Promise<void>;
  /** Runs another icecore command line, as if it had been typed. */
  invoke(argv: readonly string[], io: Io): Promise<number>;
}

export function createContext(
  io: Io,
  flags: GlobalFlags,
  invoke: Context['invoke'],
  registry: Registry = registryOf([]),
): Context {
  const say: Context['say'] = async (text) => {
    if (!flags.quiet) await io.stderr.write(`${visible(text)}\n`);
  };
  const hint: Context['hint'] = (text) => say(typedHere(text, io));
  const { env, cwd, signal } = io;
  const session: Session = {
    ...{ env, cwd, signal, registry, notify: showingNotices({ io, flags, say, hint }) },
    ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
  };
  return {
    io,
    flags,
    session,
    paint: paintFor(io.stdout, io.env),
    signal,
    print: (text) => io.stdout.write(text),
    printJson: (value) => io.stdout.write(`${jsonText(value)}\n`),
    say,
    hint,
    invoke,
  };
}
