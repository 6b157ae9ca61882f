// The golden files, and what the check on writing says when one of them is spoilt.
import { globSync, readFileSync } from 'node:fs';
import { checkEvent } from '../catalogue.ts';
import type { NewEvent } from '../envelope.ts';
import { describeIssue } from '../errors.ts';

export type Json = Record<string, unknown>;

export interface Golden {
  readonly stream: string;
  readonly event: NewEvent<Json>;
}

const folder = new URL('../golden/', import.meta.url);

export const goldenFiles: readonly string[] = globSync('*.json', { cwd: folder })
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

/** One of them by its name: `RolloutRecorded.v1`. */
export function golden(name: string): Golden {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Golden;
}

/** What the check says of a golden event when some of its fields, or of its data, are changed. */
export function verdict({ stream, event }: Golden, change: Json, inData: Json = {}): string[] {
  return checkEvent(stream, { ...event, ...change, data: { ...event.data, ...inData } }).map(describeIssue);
}
