// Arms with models, behind a server that behaves like an endpoint: answers are paid for once, and each arm only gets
// its own answer.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { knobValues } from '../../lab/environments/knobs.ts';
import { type ModelEntry, modelEntriesOf } from '../../lab/models/entries.ts';
import { Spending } from '../../lab/models/spending.ts';
import { answerReply, Endpoint, status } from '../../lab/models/testing/endpoint.ts';
import { type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import type { AblationRecord } from './record.ts';
import { ablationFacts } from './testing/ablation-facts.ts';
import { ablateTiny, designTiny, keptRuns, type RecordedRuns } from './testing/tiny-ablation.ts';

const run = 'whole0000000';
const settings = tinySettings({ stages: 3, budget: { 'agent-steps': 60 }, validation: 2, trained: 4 });
let endpoint: Endpoint;
let kept: RecordedRuns;

beforeAll(async () => {
  endpoint = await Endpoint.start();
  kept = await keptRuns({ run, settings });
}, 60_000);
afterAll(() => endpoint.stop());

async function place(): Promise<TinyPlace> {
  const made = await kept.copy();
  onTestFinished(() => made.close());
  return made;
}

function entries(more: object = {}): ReadonlyMap<string, ModelEntry> {
  return modelEntriesOf({ gpt: { url: endpoint.url, model: 'served-model', key: 'THE_KEY', ...more } });
}

const asked = { runs: [run], engineers: ['gpt'], forms: ['v1', 'behaviour'] } as const;

const current = knobValues(descriptor, settings.configuration);

/** The configuration by knobs, as a model writes it, with one changed. */
const proposal = JSON.stringify({
  configuration: { ...Object.fromEntries(current.map(({ knob, value }) => [knob, value])), '3.hole': 0.3 },
  reasons: [{ knob: '3.hole', cites: [], reason: 'as it was seen' }],
  kept: [],
  predictions: [],
  rationale: 'on',
});

function cameFrom({ proposals, rejections }: AblationRecord): Readonly<Record<string, number>> {
  const by = (all: Iterable<{ readonly data: { readonly engineer: { readonly name: string } } }>): number =>
    [...all].filter(({ data }) => data.engineer.name === 'gpt').length;
  return { proposed: by(proposals.values()), rejected: by(rejections.values()) };
}

describe('an ablation with a model as engineer', () => {
  it('reuses recorded answers when repeated under another name, with the same result', async () => {
    endpoint.replies(answerReply(proposal));
    const at = await place();
    const first = await ablateTiny(at, { ...asked, entries: entries() });
    expect(endpoint.seen.length).toBe(4);
    expect(cameFrom(first.record)).toEqual({ proposed: 4, rejected: 0 });
    const again = await ablateTiny(at, { ...asked, entries: entries(), name: 'again' });
    expect(endpoint.seen.length).toBe(4);
    expect(again.design.ablation).not.toBe(first.design.ablation);
    const data = ({ record }: { readonly record: AblationRecord }): readonly object[] =>
      [...record.proposals.values()]
        .map(({ place, data: { measured: _, context, ...rest } }) => ({
          ...rest,
          stage: place.stage,
          shown: context?.digest,
        }))
        .toSorted((one, other) =>
          JSON.stringify([one.arm, one.stage]) < JSON.stringify([other.arm, other.stage]) ? -1 : 1,
        );
    expect(data(again)).toEqual(data(first));
  });

  it('treats a refusal as an answer, and trains on the current configuration', async () => {
    endpoint.replies(answerReply('', { message: { refusal: 'I would rather not.' } }));
    const at = await place();
    const { record } = await ablateTiny(at, {
      ...asked,
      forms: ['v1'],
      stages: [1],
      depth: 'train',
      arms: ['gpt/v1', 'fixed'],
      entries: entries(),
    });
    expect(record.completed?.data.unfinished).toEqual([]);
    expect(cameFrom(record)).toEqual({ proposed: 0, rejected: 1 });
    const of = (arm: string) => record.trainings.get(JSON.stringify([arm, 'seed 1', 2]))?.data;
    expect(of('gpt/v1')?.configuration).toBe(of('fixed')?.configuration);
    expect(of('gpt/v1')?.checkpoint?.digest).toBe(of('fixed')?.checkpoint?.digest);
  }, 30_000);

  it('stops at its spending cap, and resumes with a higher one', async () => {
    endpoint.replies(answerReply(proposal));
    const at = await place();
    const priced = entries({ prices: { input: 0, output: 1000, currency: 'USD' }, parameters: { max_tokens: 100 } });
    const stopped = ablateTiny(at, {
      ...asked,
      entries: priced,
      spending: new Spending({ currency: 'USD', most: 0.107 }),
    });
    await expect(stopped).rejects.toMatchObject({ name: 'SpendingCapReached' });
    const paid = endpoint.seen.length;
    expect(paid).toBeGreaterThan(0);
    expect(paid).toBeLessThan(4);
    const spending = new Spending({ currency: 'USD', most: 10 });
    const { record } = await ablateTiny(at, { ...asked, entries: priced, spending });
    expect(endpoint.seen.length).toBe(4);
    expect(cameFrom(record)).toEqual({ proposed: 4, rejected: 0 });
    expect(record.completed?.data.unfinished).toEqual([]);
  });

  it.each([
    ['is unavailable', status(429, { error: { code: 'insufficient_quota', message: 'pay first' } }), 'unavailable'],
    ['rejects its key', status(401), 'bad-input'],
  ])(
    'stops if its endpoint %s, and completes every arm once resumed',
    async (_, fails, kind) => {
      endpoint.script((index) => (index === 0 ? answerReply(proposal) : fails));
      const [at, unbroken] = [await place(), await place()];
      const away = entries({ concurrency: 1 });
      await expect(ablateTiny(at, { ...asked, entries: away })).rejects.toMatchObject({ kind });
      endpoint.replies(answerReply(proposal));
      const { record, design } = await ablateTiny(at, { ...asked, entries: away });
      expect(record.completed?.data.unfinished).toEqual([]);
      await ablateTiny(unbroken, { ...asked, entries: away });
      expect(await ablationFacts(at.ledger, design.ablation)).toEqual(
        await ablationFacts(unbroken.ledger, design.ablation),
      );
    },
    30_000,
  );

  it('has another id if the name refers to another model', async () => {
    const at = await place();
    const of = async (more: object): Promise<string> =>
      (await designTiny(at, { ...asked, entries: entries(more) })).ablation;
    const own = await of({});
    expect(await of({})).toBe(own);
    expect(await of({ model: 'another' })).not.toBe(own);
    expect(await of({ parameters: { temperature: 1 } })).not.toBe(own);
  });
});
