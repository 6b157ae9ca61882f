import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidenceStream, rollout } from '../../ledger/contract/samples.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { type Places, places, splitPlaces } from '../testing/places.ts';
import { redact, redactable } from '../trust/redaction.ts';
import type { IntakeStopped } from './faults.ts';
import { type IntakeOptions, type Tally, takeIn } from './intake.ts';
import { checkingTarget, type Target } from './target.ts';
import { inChunks } from './testing/chunks.ts';
import { targetOf } from './testing/targets.ts';
import { longestInline } from './texts.ts';
import type { Refused } from './windows.ts';

const options: IntakeOptions = {
  defaults: { stream: evidenceStream, isOnlyStream: false, now: () => '2026-01-01T00:00:00Z' },
  longestInline: longestInline.byDefault,
  expect: 'any',
  onRefused: null,
  signal: new AbortController().signal,
};

function naming(index: number, text: string, bytes = Buffer.byteLength(text)): Record<string, unknown> {
  const event = rollout(index);
  return { ...event, data: { ...event.data, completion: { blob: sha256(text), bytes } } };
}

function take(target: Target, events: readonly unknown[], more: Partial<IntakeOptions> = {}): Promise<Tally> {
  const text = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n');
  return takeIn(inChunks(text, 65_536), target, { ...options, ...more });
}

async function refusal(taking: Promise<unknown>): Promise<IntakeStopped> {
  return (await taking.then(() => new Error('nothing was refused')).catch((error: unknown) => error)) as IntakeStopped;
}

async function eraseFirst({ ledger, blobs }: Places): Promise<void> {
  const events = redactable(await ledger.find(rollout(0).id), false);
  await redact(ledger, blobs, { events, reason: 'a name', actor: 'human/ada' });
}

describe('an event that names a blob', () => {
  it('is appended if the blob exists, even one too large to be measured', async () => {
    const { ledger, blobs } = await places();
    const long = 'x'.repeat(1_100_000);
    for (const text of ['here', long]) await blobs.put(text);
    expect(await take(targetOf(ledger, blobs), [naming(0, 'here'), naming(1, 'here'), naming(2, long)])).toMatchObject({
      appended: 3,
      texts: { written: 0 },
    });
  });

  it('is refused otherwise, with the field, the store and the remedy; nothing of the window is appended', async () => {
    const { ledger, blobs } = await places();
    const fault = await refusal(take(targetOf(ledger, blobs), [rollout(1), naming(0, 'elsewhere')]));
    expect(fault.kind).toBe('bad-input');
    expect(fault.facts).toMatchObject({
      line: 2,
      field: 'data.completion',
      allowed: 'a stored blob',
      appended: 0,
    });
    expect(fault.message).toContain(`found ${sha256('elsewhere')}, which is not in ${blobs.url}`);
    expect(fault.remedy).toContain('icecore blob put FILE');
    expect((await ledger.head()).events).toBe(0);
  });

  it('is reported before a worse line that comes later', async () => {
    const { ledger, blobs } = await places();
    const fault = await refusal(take(targetOf(ledger, blobs), [naming(0, 'elsewhere'), 'nonsense']));
    expect(fault.facts).toMatchObject({ line: 1, field: 'data.completion' });
  });

  it('may also have its own texts, which are stored', async () => {
    const { ledger, blobs } = await places();
    await blobs.put('here');
    const event = rollout(0);
    const both = {
      ...event,
      data: { ...event.data, prompt: { text: 'Go.' }, completion: { blob: sha256('here'), bytes: 4 } },
    };
    const tally = await take(targetOf(ledger, blobs), [both], { longestInline: longestInline.nothing });
    expect(tally).toMatchObject({ appended: 1, texts: { written: 1 } });
  });

  it('is refused if there is no store', async () => {
    const { ledger } = await places();
    expect((await refusal(take(targetOf(ledger), [naming(0, 'x')]))).facts).toMatchObject({ field: 'data.completion' });
  });

  it('is refused however the key is written, for files as for texts', async () => {
    const { ledger, blobs } = await places();
    const escaped = JSON.stringify(naming(0, 'x')).replace('"blob"', '"blo\\u0062"');
    expect((await refusal(take(targetOf(ledger, blobs), [escaped]))).facts).toMatchObject({ field: 'data.completion' });
    const event = rollout(0);
    const file = { ...event, data: { ...event.data, task: { blob: { blob: sha256('x'), bytes: 1 } } } };
    expect((await refusal(take(targetOf(ledger, blobs), [file]))).facts).toMatchObject({ field: 'data.task.blob' });
  });

  it('is refused if its size does not match the blob', async () => {
    const { ledger, blobs } = await places();
    for (const text of ['here', 'y'.repeat(1_100_000)]) await blobs.put(text);
    const fault = await refusal(take(targetOf(ledger, blobs), [naming(0, 'here', 5)]));
    expect(fault.message).toContain('data.completion.bytes: found 5, allowed: 4, the size of the blob');
    const much = await refusal(take(targetOf(ledger, blobs), [naming(0, 'y'.repeat(1_100_000), 5)]));
    expect(much.message).toContain('allowed: more than 1048576, the size of the blob');
  });

  it('is refused if the blob is damaged', async () => {
    const { folder, ledger, blobs } = await places();
    const { digest } = await blobs.put('here');
    writeFileSync(join(folder, 'ledger.blobs', digest.slice(0, 2), `${digest.slice(2)}.zst`), 'rubbish');
    const fault = await refusal(take(targetOf(ledger, blobs), [naming(0, 'here')]));
    expect(fault.message).toContain('which is damaged in');
  });

  it('is rejected together with other bad lines, in the order of lines', async () => {
    const { ledger, blobs } = await places();
    await blobs.put('here');
    const refused: Refused[] = [];
    const events = [
      naming(0, 'gone'),
      'nonsense',
      naming(1, 'here'),
      { ...rollout(2), actor: 'nobody' },
      naming(3, 'gone'),
    ];
    const tally = await take(targetOf(ledger, blobs), events, { onRefused: (one) => void refused.push(one) });
    expect(tally).toMatchObject({ appended: 1, rejected: 4 });
    expect(refused.map(({ piece }) => piece.line)).toEqual([1, 2, 4, 5]);
  });

  it('may be repeated after the blob is gone, even in a ledger of two stores', async () => {
    const { ledger, blobs } = await splitPlaces();
    await blobs.put('here');
    expect(await take(targetOf(ledger, blobs), [naming(0, 'here')])).toMatchObject({ appended: 1 });
    await blobs.erase(sha256('here'));
    expect(await take(targetOf(ledger, blobs), [naming(0, 'here')])).toMatchObject({ appended: 0, existed: 1 });
    expect((await refusal(take(targetOf(ledger, blobs), [naming(1, 'here')]))).facts).toMatchObject({ line: 1 });
  });

  it('may be repeated after the blob is gone, and may name what was erased here', async () => {
    const here = await places();
    await here.blobs.put('here');
    await take(targetOf(here.ledger, here.blobs), [naming(0, 'here')]);
    await here.blobs.erase(sha256('here'));
    expect(await take(targetOf(here.ledger, here.blobs), [naming(0, 'here')])).toMatchObject({ existed: 1 });
    expect((await refusal(take(targetOf(here.ledger, here.blobs), [naming(1, 'here')]))).kind).toBe('bad-input');
    await eraseFirst(here);
    expect(await take(targetOf(here.ledger, here.blobs), [naming(1, 'here')])).toMatchObject({ appended: 1 });
  });

  it('is also checked by an intake that writes nothing', async () => {
    const { ledger, blobs } = await places();
    await blobs.put('here');
    const known = { blobsUrl: blobs.url, ledger: async () => ledger, blobs: async () => blobs };
    expect(await take(checkingTarget(1_000_000, known), [naming(0, 'here')])).toMatchObject({ appended: 1 });
    const fault = await refusal(take(checkingTarget(1_000_000, known), [naming(0, 'gone')]));
    expect(fault.facts).toMatchObject({ line: 1, field: 'data.completion' });
  });
});
