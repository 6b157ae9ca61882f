// Colours, on a terminal only and never with NO_COLOR.
import { type Paint, painted, unpainted } from '../../base/terminal.ts';
import type { Sink } from '../io.ts';

type Env = Readonly<Record<string, string | undefined>>;

export function hasColours(sink: Sink, env: Env): boolean {
  return sink.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function paintFor(sink: Sink, env: Env): Paint {
  return hasColours(sink, env) ? painted : unpainted;
}
