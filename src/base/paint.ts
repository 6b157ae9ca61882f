// Colours, only on a terminal and never with NO_COLOR.

import type { Sink } from './sink.ts';
import { colours, noColours, type Paint } from './terminal.ts';

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Whether the output is a terminal that shows colours. */
export function hasColours(sink: Sink, env: Env): boolean {
  return sink.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** The colours for an output, or functions without effect. */
export function paintFor(sink: Sink, env: Env): Paint {
  return hasColours(sink, env) ? colours : noColours;
}
