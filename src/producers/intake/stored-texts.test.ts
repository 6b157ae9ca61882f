import { describe, expect, it } from 'vitest';
import { evidenceStream, rollout } from '../../ledger/contract/samples.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { altered, digestsIn, type Places, places, splitPlaces } from '../testing/places.ts';
import { redact, redactable } from '../trust/redaction.ts';
import { type IntakeOptions, type Tally, takeIn } from './intake.ts';
import type { Target } from './target.ts';
import { inChunks } from './testing/chunks.ts';
import { targetOf } from './testing/targets.ts';
import { longestInline } from './texts.ts';

const options: IntakeOptions = {
  defaults: { stream: evidenceStream, isOnlyStream: false, now: () => '2026-01-01T00:00:00Z' },
  longestInline: longestInline.nothing,
  expect: 'any',
  onRefused: null,
  signal: new AbortController().signal,
};

function sent(index: number, completion: string, prompt = 'Go.'): Record<string, unknown> {
  const event = rollout(index);
  return { ...event, data: { ...event.data, prompt: { text: prompt }, completion: { text: completion } } };
}

function take(target: Target, events: readonly unknown[], more: Partial<IntakeOptions> = {}): Promise<Tally> {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return takeIn(inChunks(text, 65_536), target, { ...options, ...more });
}

async function erase({ ledger, blobs }: Places, index: number): Promise<void> {
  const events = redactable(await ledger.find(rollout(index).id), false);
  await redact(ledger, blobs, { events, reason: 'a name', actor: 'human/ada' });
}

async function stored({ ledger }: Places): Promise<number> {
  return (await ledger.head()).events;
}

describe('texts kept as blobs', () => {
  it('are stored once, and a repetition writes nothing', async () => {
    const here = await places();
    const events = [sent(0, 'a'), sent(1, 'b'), sent(2, 'a')];
    expect(await take(targetOf(here.ledger, here.blobs), events)).toMatchObject({
      appended: 3,
      texts: { written: 3, erased: 0 },
    });
    expect(await digestsIn(here.blobs)).toEqual(['a', 'b', 'Go.'].map(sha256).sort());
    expect(await take(targetOf(here.ledger, here.blobs), events)).toMatchObject({
      appended: 0,
      existed: 3,
      texts: { written: 0 },
    });
  });

  it('are durable before the event that names them is appended', async () => {
    const here = await places();
    const eventsThen: number[] = [];
    const watched = altered(here.blobs, {
      putAll: async (sources) => {
        const references = await here.blobs.putAll(sources);
        eventsThen.push(await stored(here));
        return references;
      },
    });
    await take(targetOf(here.ledger, watched), [sent(0, 'a'), sent(1, 'b')]);
    await take(targetOf(here.ledger, watched), [sent(2, 'c')]);
    expect(eventsThen).toEqual([0, 2]);
  });

  it('are not stored for an event that is refused, for any reason', async () => {
    const here = await places();
    const target = targetOf(here.ledger, here.blobs);
    await take(target, [sent(0, 'a')]);
    const before = await digestsIn(here.blobs);
    const refused = [
      { ...sent(1, 'invalid'), actor: 'nobody' },
      sent(0, 'another text under the same id'),
      { ...sent(2, 'too large'), data: { ...(sent(2, 'too large')['data'] as object), expected: 'x'.repeat(1e6) } },
    ];
    for (const event of refused) {
      await expect(take(target, [event])).rejects.toThrow('line 1');
      await expect(take(target, [event], { onRefused: () => {} })).resolves.toMatchObject({ rejected: 1 });
    }
    expect(await digestsIn(here.blobs)).toEqual(before);
    await expect(take(target, [sent(5, 'one'), sent(5, 'two')])).rejects.toThrow('line 2');
    expect(await digestsIn(here.blobs)).not.toContain(sha256('two'));
  });

  it('are not stored for a refused event of a ledger of two stores, whose evidence cannot be found by id', async () => {
    const here = await splitPlaces();
    await take(targetOf(here.ledger, here.blobs), [sent(0, 'a')]);
    const before = await digestsIn(here.blobs);
    const other = [sent(0, 'another text under the same id')];
    await expect(take(targetOf(here.ledger, here.blobs), other)).rejects.toThrow('line 1');
    expect(await digestsIn(here.blobs)).toEqual(before);
  });

  it('are stored without those of bad events around them', async () => {
    const here = await places();
    const tally = await take(
      targetOf(here.ledger, here.blobs),
      [sent(0, 'a'), { ...sent(1, 'b'), stage: 9 }, sent(2, 'c')],
      { onRefused: () => {} },
    );
    expect(tally).toMatchObject({ appended: 2, rejected: 1 });
    expect(await digestsIn(here.blobs)).toEqual(['a', 'c', 'Go.'].map(sha256).sort());
  });

  it('are stored again if they were lost', async () => {
    const here = await places();
    await take(targetOf(here.ledger, here.blobs), [sent(0, 'a')]);
    await here.blobs.erase(sha256('a'));
    expect(await take(targetOf(here.ledger, here.blobs), [sent(0, 'a')])).toMatchObject({ texts: { written: 1 } });
    expect(await here.blobs.has(sha256('a'))).toBe(true);
  });

  it('stop the intake if the store fails, and no event names a missing blob', async () => {
    const here = await places();
    const failing = altered(here.blobs, { putAll: () => Promise.reject(new Error('the disk is full')) });
    await expect(take(targetOf(here.ledger, failing), [sent(0, 'a')])).rejects.toThrow('the disk is full');
    expect(await stored(here)).toBe(0);
  });
});

describe('an erased text', () => {
  it('stays erased when it is sent again, in the same or another event', async () => {
    const here = await places();
    await take(targetOf(here.ledger, here.blobs), [sent(0, 'secret')]);
    await erase(here, 0);
    const tally = await take(targetOf(here.ledger, here.blobs), [sent(0, 'secret'), sent(1, 'secret', 'Stop.')]);
    expect(tally).toMatchObject({ appended: 1, existed: 1, texts: { written: 1, erased: 2 } });
    expect(await digestsIn(here.blobs)).toEqual([sha256('Stop.')]);
  });

  it('stays erased if it is redacted while it is stored', async () => {
    const here = await places();
    await take(targetOf(here.ledger, here.blobs), [sent(0, 'secret')]);
    const racing = altered(here.blobs, {
      putAll: async (sources) => {
        await erase(here, 0);
        return await here.blobs.putAll(sources);
      },
    });
    await take(targetOf(here.ledger, racing), [sent(1, 'secret')]);
    expect(await digestsIn(here.blobs)).toEqual([]);
  });

  it('stays erased even if the intake itself had stored it before', async () => {
    const here = await places();
    const target = targetOf(here.ledger, here.blobs);
    await take(target, [sent(0, 'secret')]);
    await erase(here, 0);
    expect(await take(target, [sent(1, 'secret')])).toMatchObject({ appended: 1 });
    expect(await digestsIn(here.blobs)).toEqual([]);
  });
});
