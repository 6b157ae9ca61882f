// The golden files, and the result of the check on writing for changed golden events.
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

/** A golden file by its name: `RolloutRecorded.v1`. */
export function golden(name: string): Golden {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Golden;
}

/** The issues of a golden event after changes to its fields and its data. */
export function verdict({ stream, event }: Golden, change: Json, inData: Json = {}): string[] {
  return checkEvent(stream, { ...event, ...change, data: { ...event.data, ...inData } }).map(describeIssue);
}
