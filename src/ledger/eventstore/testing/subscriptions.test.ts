// What exactly a subscription to all events is told, in which order, where a client could not say when things happen.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database, systemEvent } from './database.ts';
import { at, logStart } from './positions.ts';
import { type Filter, subscriptionToAll, subscriptionToStream, type Told } from './subscriptions.ts';

let folder: string;
let database: Database;
let ended: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-subscriptions-'));
  database = new Database(join(folder, 'log'));
  ended = new AbortController();
});

afterEach(() => {
  ended.abort();
  database.close();
  rmSync(folder, { recursive: true });
});

/** Only events of this stream, looked for ten at a time, with a checkpoint after twenty. */
const onlyA: Filter = { matches: ({ stream }) => stream === 'a', window: 10, interval: 20 };

function append(stream: string, count = 1): void {
  database.append(
    stream,
    'any',
    Array.from({ length: count }, () => systemEvent('Said', '{}')),
  );
}

function revisionOrKind(told: Told): number | string {
  return told.kind === 'event' ? told.event.revision : told.kind;
}

async function next(told: AsyncGenerator<Told, void>, count: number): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  for (let i = 0; i < count; i++) {
    const { value } = await told.next();
    if (value !== undefined) found.push(revisionOrKind(value));
  }
  return found;
}

async function untilCaughtUp(told: AsyncGenerator<Told, void>): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  while (found.at(-1) !== 'caught-up') found.push(...(await next(told, 1)));
  return found;
}

test('a filter that finds little says so after every twenty events, and where it caught up', async () => {
  append('a');
  append('b', 45);
  const told = subscriptionToAll(database, logStart, onlyA, ended.signal);
  expect(await next(told, 5)).toEqual([0, 'checkpoint', 'checkpoint', 'checkpoint', 'caught-up']);
});

test('a live subscription says how far it looked after every twenty events, and at no other', async () => {
  const told = subscriptionToAll(database, logStart, onlyA, ended.signal);
  expect(await next(told, 1)).toEqual(['caught-up']);
  append('b', 19);
  append('a');
  append('b', 11);
  append('a');
  expect(await next(told, 3)).toEqual([0, 'checkpoint', 1]);
  append('b', 8);
  const { value } = await told.next();
  expect(value).toEqual({ kind: 'checkpoint', position: at(database.all.at(-1)?.position ?? 0) });
});

test('what is written while it catches up comes once, and is not news afterwards', async () => {
  append('a', 40);
  const told = subscriptionToAll(database, logStart, onlyA, ended.signal);
  expect(await next(told, 20)).toHaveLength(20);
  append('a', 40);
  const rest = await untilCaughtUp(told);
  expect(rest.filter((each) => typeof each === 'number')).toEqual(Array.from({ length: 60 }, (_, n) => n + 20));
  for (const revision of [80, 81]) {
    append('a');
    expect(await next(told, 1)).toEqual([revision]);
  }
});

test('a subscription that is asked late for what follows still begins where it was made', async () => {
  append('a', 3);
  const toAll = subscriptionToAll(database, null, onlyA, ended.signal);
  const toStream = subscriptionToStream(database, 'a', null, ended.signal);
  append('a');
  expect(await next(toAll, 2)).toEqual(['caught-up', 3]);
  expect(await next(toStream, 2)).toEqual([3, 'caught-up']);
});

test('one that fell behind catches up again, and says so', async () => {
  append('b');
  const told = subscriptionToAll(database, logStart, onlyA, ended.signal);
  expect(await next(told, 2)).toEqual(['checkpoint', 'caught-up']);
  append('a', 40);
  const rest = await untilCaughtUp(told);
  expect(rest.filter((each) => typeof each === 'number')).toHaveLength(40);
  expect(rest.slice(-2)).toEqual(['checkpoint', 'caught-up']);
});
