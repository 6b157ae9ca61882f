// Kills a process that asks a model: recorded answers are never requested again, and unrecorded ones were never used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { Endpoint } from '../../lab/models/testing/endpoint.ts';
import { promptIn, wellBehaved } from '../../lab/models/testing/well-behaved.ts';
import { type Places, places } from '../testing/places.ts';
import { type Orders, questionOf } from './testing/orders.ts';

const program = fileURLToPath(new URL('./testing/asking-process.ts', import.meta.url));
const questions = 40;

/** Kills it after this number of printed keys; returns the keys. */
async function askUntil(orders: Orders, said: number): Promise<{ keys: string[]; code: number | null }> {
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const keys: string[] = [];
  for await (const key of createInterface({ input: child.stdout })) {
    keys.push(key);
    if (keys.length === said) child.kill('SIGKILL');
  }
  const [code] = await ended;
  return { keys, code };
}

/** The questions by key. */
async function recorded({ ledger }: Places): Promise<ReadonlyMap<string, string>> {
  const prompts = new Map<string, string>();
  for await (const events of ledger.readAll({ types: ['ModelAnswered'] })) {
    for (const { envelope } of events) {
      const { key, prompt } = envelope.data as EventData['ModelAnswered'];
      prompts.set(key, prompt !== undefined && 'text' in prompt ? prompt.text : '');
    }
  }
  return prompts;
}

it('a paid answer is never requested again, whenever the process is killed', async () => {
  const there = await places();
  const endpoint = await Endpoint.start();
  onTestFinished(() => endpoint.stop());
  endpoint.script(wellBehaved((prompt) => `An answer to: ${prompt}`));
  const orders = { ledger: there.ledger.url, blobs: there.blobs.url, endpoint: endpoint.url, questions };
  const seen = new Set<string>();
  for (const kill of [1, 12]) {
    const before = await recorded(there);
    const { keys, code } = await askUntil(orders, before.size + kill);
    expect(code).toBe(null);
    const after = await recorded(there);
    for (const key of keys) {
      seen.add(key);
      expect(after.has(key)).toBe(true);
    }
    const asked = endpoint.seen.map(({ body }) => promptIn(body));
    expect(asked.filter((prompt) => [...before.values()].includes(prompt))).toEqual([]);
    endpoint.seen.length = 0;
  }
  const before = await recorded(there);
  const { keys, code } = await askUntil(orders, Number.POSITIVE_INFINITY);
  expect(code).toBe(0);
  expect(new Set(keys).size).toBe(questions);
  const asked = endpoint.seen.map(({ body }) => promptIn(body));
  const all = Array.from({ length: questions }, (_, i) => questionOf(i));
  expect(asked.sort()).toEqual(all.filter((prompt) => ![...before.values()].includes(prompt)).sort());
  expect((await recorded(there)).size).toBe(questions);
});
