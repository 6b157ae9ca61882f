// The stream of an ablation with concurrent writers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { type TinyPlace, tinyPlace } from '../run/testing/tiny.ts';
import { AblationJournal, type Entry } from './journal.ts';

const ablation = 'k3v9q2m8x1tz';
let at: TinyPlace;

beforeEach(async () => {
  at = await tinyPlace();
});
afterEach(async () => await at.close());

const check = async (): Promise<void> => {};
const blobs = async () => expect.fail('nothing is long here');

async function journal(others: Partial<{ check: () => Promise<void> }> = {}): Promise<AblationJournal> {
  return await AblationJournal.open(ablation, { ledger: at.ledger, blobs, check, ...others });
}

function proposal(index: number, rationale: string): Entry {
  const { event } = golden('ArmProposed.v1');
  const data = { ...event.data, arm: `rules/${index}`, rationale };
  return { type: 'ArmProposed', run: event.run, stage: 1, index, actor: 'engineer/rules', data } as Entry;
}

function evaluation(index: number): Entry {
  const { event } = golden('ArmEvaluated.v1');
  return {
    type: 'ArmEvaluated',
    run: event.run,
    stage: 2,
    index,
    actor: 'producer/evaluation',
    data: event.data,
  } as Entry;
}

async function said(): Promise<readonly unknown[]> {
  const events = await collect(at.ledger.read(streamOf.ablation(ablation)));
  return events.map(({ envelope }) => (envelope.data as { readonly rationale?: unknown }).rationale);
}

describe('the journal of an ablation', () => {
  it('appends concurrent entries in order, and has each in its record once', async () => {
    const one = await journal();
    await Promise.all([0, 1, 2, 3].map(async (index) => await one.append(proposal(index, `${index}`))));
    expect(await said()).toEqual(['0', '1', '2', '3']);
    expect(one.record.proposals.size).toBe(4);
    await Promise.all([0, 1, 2, 3].map(async (index) => await one.append(evaluation(index))));
    expect([...one.record.evaluations.values()].map((all) => all.length)).toEqual([4]);
  });

  it('does not append an existing entry again, even with different content', async () => {
    await (await journal()).append(proposal(0, 'as it was'));
    const later = await journal();
    await later.append(proposal(0, 'with another rationale'));
    await later.append(proposal(1, 'more'));
    expect(await said()).toEqual(['as it was', 'more']);
  });

  it("continues after another writer's events, unless that writer holds the claim", async () => {
    const [mine, theirs] = [await journal(), await journal()];
    await theirs.append(proposal(0, 'theirs'));
    await mine.append(proposal(1, 'mine'));
    expect(await said()).toEqual(['theirs', 'mine']);
    expect(mine.record.proposals.size).toBe(2);

    const lost = await journal({
      check: async () => {
        throw new Error('in other hands');
      },
    });
    await expect(lost.append(proposal(2, 'void'))).rejects.toThrow('in other hands');
    expect(await said()).toEqual(['theirs', 'mine']);
  });

  it('writes later entries after a failed one', async () => {
    const one = await journal();
    const broken = one.append({ ...proposal(0, 'broken'), actor: '' });
    const whole = one.append(proposal(1, 'whole'));
    await expect(broken).rejects.toMatchObject({ name: 'InvalidEvents' });
    await whole;
    expect(await said()).toEqual(['whole']);
  });
});
