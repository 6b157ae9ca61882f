// The log: one JSON object per line on standard error.
import { jsonText } from '../base/printable-json.ts';

export type Level = 'info' | 'warning' | 'error';
export type Log = (level: Level, message: string, facts?: Readonly<Record<string, unknown>>) => void;

/** What a client sent is cut: a log line has a bounded length. */
const longest = 300;

export function jsonLog(write: (line: string) => void): Log {
  return (level, message, facts = {}) => {
    const cut = Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > longest ? `${value.slice(0, longest)}…` : value,
    ]);
    write(`${jsonText({ at: new Date().toISOString(), level, message, ...Object.fromEntries(cut) })}\n`);
  };
}
