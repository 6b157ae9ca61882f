// A process that held a run and was suspended between its check and its append wakes up after another process took
// over: it writes nothing and names the holder, and the other process is not disturbed.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { isThorough } from '../../../schemas/testing/tries.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { adoption } from '../by-hand/deciding.ts';
import { written } from '../by-hand/forking.ts';
import { Claim, forgetHolder, lastClaim, RunHeld } from './claim.ts';
import { heldUp, withAppend } from './testing/held-up.ts';
import { runFacts } from './testing/run-facts.ts';
import { runTiny, type TinyPlace, tinyPlace } from './testing/tiny.ts';

const run = 'tiny00000000';
let at: TinyPlace;

beforeEach(async () => {
  at = await tinyPlace();
  onTestFinished(() => at.close());
});

/** The result without a takeover; made once. */
let undisturbed: Promise<readonly object[]> | undefined;
function eventsUndisturbed(): Promise<readonly object[]> {
  undisturbed ??= (async () => {
    const place = await tinyPlace();
    await runTiny(place, { run });
    const events = await runFacts(place.ledger, run);
    await place.close();
    return events;
  })();
  return undisturbed;
}

/** The holder is not visible any more, as after its lease. */
async function leaseOver(ledger: Ledger = at.ledger): Promise<void> {
  forgetHolder((await lastClaim(ledger, run))?.holder ?? '');
}

async function runEvents(): Promise<readonly { readonly type: string; readonly data: unknown }[]> {
  return (await collect(at.ledger.read(streamOf.run(run)))).map(({ type, envelope: { data } }) => ({ type, data }));
}

const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

/** Runs until just before it appends such an event. */
async function suspended(type: string) {
  const held = heldUp(at.ledger, type);
  const running = runTiny({ ...at, ledger: held.ledger }, { run });
  running.catch(() => {});
  await held.reached;
  await leaseOver();
  return { running, goOn: held.goOn };
}

describe('a process suspended between its check and its append', () => {
  const types = isThorough
    ? ['ConfigAdopted', 'StageStarted', 'TrainingRecorded', 'EvidenceSealed', 'StageCompleted']
    : ['ConfigAdopted', 'EvidenceSealed'];
  it.each(types)(
    'appends no %s after another process took the run over',
    async (type) => {
      const first = await suspended(type);
      const before = await runEvents();
      let outcome: unknown;
      const { ended } = await runTiny(at, {
        run,
        tell: async ({ kind }) => {
          if (kind === 'step') outcome ??= await first.goOn();
        },
      });
      expect(outcome).toBeInstanceOf(WrongRevision);
      await expect(first.running).rejects.toBeInstanceOf(RunHeld);
      expect(ended).toBe('completed');
      const after = await runEvents();
      expect(after.slice(0, before.length)).toEqual(before);
      const last = await lastClaim(at.ledger, run);
      const from = (await collect(at.ledger.read(streamOf.work(run)))).map(({ envelope }) => envelope.data)[0];
      expect(after[before.length]).toEqual({
        type: 'RunTakenOver',
        data: { fencingToken: 2, holder: last?.holder, from: (from as { holder: string }).holder },
      });
      expect(await runFacts(at.ledger, run)).toEqual(await eventsUndisturbed());
    },
    60_000,
  );

  it('may append its event before the takeover, and it is recorded once', async () => {
    const first = await suspended('TrainingRecorded');
    let outcome: unknown = 'not yet';
    const ledger = withAppend(at.ledger, async (stream, events, options) => {
      if (events.some(({ type }) => type === 'RunTakenOver') && outcome === 'not yet') outcome = await first.goOn();
      return await at.ledger.append(stream, events, options);
    });
    expect((await runTiny({ ...at, ledger }, { run })).ended).toBe('completed');
    expect(outcome).toBeNull();
    await expect(first.running).rejects.toBeInstanceOf(RunHeld);
    const types = typesOf(await runEvents());
    const training = types.indexOf('TrainingRecorded');
    expect(types[training + 1]).toBe('RunTakenOver');
    expect(types.filter((type) => type === 'TrainingRecorded')).toHaveLength(2);
  }, 60_000);

  it('may append RunStarted just before the other process does, without a takeover', async () => {
    const first = await suspended('RunStarted');
    let outcome: unknown = 'not yet';
    const ledger = withAppend(at.ledger, async (stream, events, options) => {
      if (events.some(({ type }) => type === 'RunStarted') && outcome === 'not yet') outcome = await first.goOn();
      return await at.ledger.append(stream, events, options);
    });
    expect((await runTiny({ ...at, ledger }, { run, about: { code: { version: '2' } } })).ended).toBe('completed');
    expect(outcome).toBeNull();
    await expect(first.running).rejects.toBeInstanceOf(RunHeld);
    expect(typesOf(await runEvents())).not.toContain('RunTakenOver');
  }, 60_000);

  it('is refused with RunHeld if it appends RunStarted after the other process', async () => {
    const first = await suspended('RunStarted');
    let outcome: unknown;
    const { ended } = await runTiny(at, {
      run,
      about: { code: { version: '2' } },
      tell: async ({ kind }) => {
        if (kind === 'decided') outcome ??= await first.goOn();
      },
    });
    expect(ended).toBe('completed');
    expect(outcome).not.toBeNull();
    await expect(first.running).rejects.toBeInstanceOf(RunHeld);
  }, 60_000);
});

it('a decision of a person is refused after another process has decided', async () => {
  const other = await tinyPlace();
  onTestFinished(() => other.close());
  const { history } = await runTiny(other, { run });
  const [over] = history.stages;
  if (over?.adopted == null) throw new Error('nothing was adopted');
  await runTiny(at, { run, until: ({ do: step }) => step === 'propose' });
  const decision = adoption({ ...over.adopted.data, by: 'human', proposal: null }, over, 'human/ada');
  const held = heldUp(at.ledger, 'ConfigAdopted');
  const deciding = written(
    {
      ...{ ledger: held.ledger, run, actor: 'human/ada', signal: new AbortController().signal, onWait: () => {} },
      blobs: async () => expect.fail('nothing is long'),
    },
    [() => decision],
  );
  deciding.catch(() => {});
  await held.reached;
  await leaseOver();
  await runTiny(at, { run });
  const before = await runFacts(at.ledger, run);
  expect(await held.goOn()).toBeInstanceOf(DuplicateId);
  await expect(deciding).rejects.toBeInstanceOf(RunHeld);
  expect(await runFacts(at.ledger, run)).toEqual(before);
}, 60_000);

describe('a run that is taken over', () => {
  const claiming = (ledger = at.ledger) => ({
    ...{ ledger, run, stream: streamOf.run(run), actor: 'producer/run', leaseSeconds: 60 },
  });
  const begin = (): Promise<unknown> => runTiny(at, { run, until: ({ do: step }) => step === 'train' });

  it('has no RunTakenOver if the previous holder released it', async () => {
    await begin();
    await runTiny(at, { run });
    expect(typesOf(await runEvents())).not.toContain('RunTakenOver');
  });

  it('gets RunTakenOver from the next claim if the first could not append it', async () => {
    await begin();
    const lost = await Claim.take(claiming());
    await leaseOver();
    const away = withAppend(at.ledger, async (stream, events, options) => {
      if (stream === streamOf.run(run)) throw new Error('the store is away');
      return await at.ledger.append(stream, events, options);
    });
    await expect(Claim.take(claiming(away))).rejects.toThrow('the store is away');
    const claim = await Claim.take(claiming());
    expect(claim.fencingToken).toBe(4);
    expect((await runEvents()).at(-1)).toMatchObject({ type: 'RunTakenOver', data: { fencingToken: 4 } });
    await claim.release();
    await expect(lost.check()).rejects.toBeInstanceOf(RunHeld);
  });
});
