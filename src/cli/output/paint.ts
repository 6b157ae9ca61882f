// A few colours, on a terminal only and never with NO_COLOR.
import type { Sink } from '../io.ts';

const styles = {
  bold: '1',
  dim: '2',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  cyan: '36',
} as const;

export type Paint = Readonly<Record<keyof typeof styles, (text: string) => string>>;

type Env = Readonly<Record<string, string | undefined>>;

export function hasColours(sink: Sink, env: Env): boolean {
  return sink.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function paintFor(sink: Sink, env: Env): Paint {
  const colours = hasColours(sink, env);
  const entries = Object.entries(styles).map(([name, code]) => [name, colours ? styled(code) : plain] as const);
  return Object.fromEntries(entries) as Paint;
}

/** For what is no terminal. */
export const unpainted = Object.fromEntries(Object.keys(styles).map((name) => [name, plain])) as Paint;

function plain(text: string): string {
  return text;
}

function styled(code: string): (text: string) => string {
  return (text) => (text === '' ? '' : `\u001b[${code}m${text}\u001b[0m`);
}
