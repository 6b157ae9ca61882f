import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { noteIn } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { CopyBench, eventsOf, streamNames } from './testing/copy-bench.ts';
import { answered, keyOf, type Made, proposal, recordRuns, rollout, started } from './testing/history.ts';

let bench: CopyBench;
let original: Ledger;
beforeEach(async () => {
  bench = new CopyBench();
  original = await bench.ledger('original');
});
afterEach(() => bench.close());

const add = (stream: string, ...events: Made[]) => original.append(stream, events, { expect: 'any' });
const answerTo = (question: string): string => streamOf.answer(keyOf(question));

describe('a copy of one run', () => {
  it('has its streams and its answers, and none of a run whose name has the same prefix', async () => {
    await recordRuns(original, ['a', 'a-1']);
    const { copied, proof } = await bench.copy('original', 'copy', { run: 'a' });
    const copy = await bench.ledger('copy');
    const wanted = [answerTo('what of a?'), 'evidence-a-1-0-0', 'notes-a', 'run-a', 'work-a'];
    expect(await streamNames(copy)).toEqual(wanted);
    for (const stream of wanted) expect(await eventsOf(copy, stream)).toEqual(await eventsOf(original, stream));
    expect(copied).toBe(7);
    expect(proof).toMatchObject({ events: 7, streams: 5 });
    expect((await bench.verify('copy')).faults).toBe(0);
  });

  it('with the longer of two names has no streams of the shorter one', async () => {
    await recordRuns(original, ['a', 'a-1']);
    await bench.copy('original', 'copy', { run: 'a-1' });
    const wanted = [answerTo('what of a-1?'), 'evidence-a-1-1-0-0', 'notes-a-1', 'run-a-1', 'work-a-1'];
    expect(await streamNames(await bench.ledger('copy'))).toEqual(wanted);
  });

  it('has its own ledger id', async () => {
    await recordRuns(original, ['a']);
    await bench.copy('original', 'copy', { run: 'a' });
    expect((await bench.ledger('copy')).id).not.toBe(original.id);
  });

  it('has its events in the order of the original: decisions come after their evidence and answers', async () => {
    await recordRuns(original, ['a', 'b']);
    await bench.copy('original', 'copy', { run: 'b' });
    const order = (await eventsOf(await bench.ledger('copy'))).map(({ stream, revision }) => `${stream}@${revision}`);
    const answer = `${answerTo('what of b?')}@0`;
    const rest = order.filter((place) => place !== answer);
    const evidence = ['evidence-b-1-0-0@0', 'evidence-b-1-0-0@1'];
    expect(rest).toEqual(['run-b@0', 'work-b@0', ...evidence, 'run-b@1', 'notes-b@0']);
    expect(order.indexOf(answer)).toBeLessThan(order.indexOf('run-b@1'));
  });

  it('is updated, including answers that have grown', async () => {
    await recordRuns(original, ['a', 'b']);
    await bench.copy('original', 'copy', { run: 'a' });
    await add(answerTo('what of a?'), { ...answered('what of a?'), id: '0d2f1c1e-8f0e-4a53-9a57-4c2f6f3f5a10' });
    await add('notes-a', noteIn('notes-a', 1) as Made);
    await expect(bench.copy('original', 'copy', { run: 'a' })).rejects.toMatchObject({ name: 'RunsExtended' });
    const more = await bench.copy('original', 'copy', { run: 'a', extend: true });
    expect(more).toMatchObject({ copied: 2, proof: { events: 9 } });
    const copy = await bench.ledger('copy');
    expect(await eventsOf(copy, answerTo('what of a?'))).toEqual(await eventsOf(original, answerTo('what of a?')));
    expect(await bench.copy('original', 'copy', { run: 'a' })).toMatchObject({ copied: 0, proof: { events: 9 } });
  });

  it('includes the answers that rollouts and causes cite', async () => {
    for (const question of ['one?', 'two?', 'three?', 'nobody asks?'])
      await add(answerTo(question), answered(question));
    await add('run-a', started('a', 'a'));
    const judged = rollout('evidence-a-1-0-0', 0);
    await add('evidence-a-1-0-0', { ...judged, data: { ...judged.data, modelAnswer: keyOf('one?') } });
    const bySpan = { stream: answerTo('three?'), from: 0, to: 0, root: keyOf('any root') };
    const causes = [{ event: answered('two?').id }, bySpan, { event: started('a', 'a').id }];
    await add('run-a', { ...proposal('a', 1, []), causes });
    await bench.copy('original', 'copy', { run: 'a' });
    const names = await streamNames(await bench.ledger('copy'));
    expect(names.filter((name) => name.startsWith('answer-'))).toEqual(['one?', 'two?', 'three?'].map(answerTo).sort());
  });

  it('can be in one ledger with runs of other ledgers', async () => {
    await recordRuns(original, ['a']);
    await recordRuns(await bench.ledger('second'), ['b']);
    await bench.copy('original', 'collection', { run: 'a' });
    await bench.copy('second', 'collection', { run: 'b' });
    expect(await bench.copy('original', 'collection', { run: 'a' })).toMatchObject({ copied: 0 });
    expect((await bench.verify('collection')).faults).toBe(0);
  });

  it('is refused in a copy of everything, whose order it would break', async () => {
    await recordRuns(original, ['a', 'b']);
    await bench.copy('original', 'copy');
    await add('notes-b', noteIn('notes-b', 1) as Made);
    const refused = bench.copy('original', 'copy', { run: 'b' });
    await expect(refused).rejects.toMatchObject({ name: 'CopyOfAll', kind: 'conflict' });
    expect(await bench.copy('original', 'copy')).toMatchObject({ copied: 1 });
  });

  it('has no evidence that starts during the copy, and no decisions based on such evidence', async () => {
    await recordRuns(original, ['a']);
    let isFirst = true;
    await bench.copy('original', 'copy', {
      run: 'a',
      onProgress: async () => {
        if (isFirst) await add('evidence-a-1-1-0', rollout('evidence-a-1-1-0', 0));
        if (isFirst) await add('run-a', proposal('a', 2, []));
        isFirst = false;
      },
    });
    expect(isFirst).toBe(false);
    const copy = await bench.ledger('copy');
    expect(await streamNames(copy)).not.toContain('evidence-a-1-1-0');
    expect(await eventsOf(copy, 'run-a')).toHaveLength(2);
  });
});

describe('a copy of a run that is a fork', () => {
  beforeEach(async () => {
    await add('run-a', started('a', 'the parent'));
    await add('run-a', proposal('a', 1, []));
    const { digests: digest } = await add('run-a', proposal('a', 2, []));
    await add('run-b', started('b', 'the fork', { run: 'a', stage: 3, revision: 2, digest }));
  });

  it('reports that the history of its parent is missing', async () => {
    const { parent } = await bench.copy('original', 'copy', { run: 'b' });
    expect(parent).toEqual({ run: 'a', stage: 3, isThere: false });
  });

  it('reports that the parent is present if it was copied before', async () => {
    await bench.copy('original', 'copy', { run: 'a' });
    expect((await bench.copy('original', 'copy', { run: 'b' })).parent).toMatchObject({ isThere: true });
  });

  it('does not accept another run with the name of the parent as its parent', async () => {
    const copy = await bench.ledger('copy');
    for (const index of [5, 6, 7]) await copy.append('run-a', [proposal('a', index, [])], { expect: 'any' });
    expect((await bench.copy('original', 'copy', { run: 'b' })).parent).toMatchObject({ isThere: false });
  });

  it('names no parent for a run that is not a fork, nor for a copy of everything', async () => {
    expect((await bench.copy('original', 'copy', { run: 'a' })).parent).toBeNull();
    expect((await bench.copy('original', 'whole')).parent).toBeNull();
  });
});
