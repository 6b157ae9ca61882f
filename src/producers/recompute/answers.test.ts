// Reading the recorded answers of a language model again: an honest run, and consistent forgeries of its answers and of
// the proposal that rests on them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { knobValues } from '../../lab/environments/knobs.ts';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { answerReply, Endpoint } from '../../lab/models/testing/endpoint.ts';
import { promptIn } from '../../lab/models/testing/well-behaved.ts';
import { ablateTiny } from '../ablation/testing/tiny-ablation.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { again, Copies, findingTexts, run } from './testing/again.ts';
import type { Data, Forge } from './testing/forging.ts';

const copies = new Copies();
let place: TinyPlace;
let proposed: Data;
let endpoint: Endpoint;
let entries: ReturnType<typeof modelEntriesOf>;

const current = Object.fromEntries(
  knobValues(descriptor, tinySettings().configuration).map(({ knob, value }) => [knob, value]),
);

/** It has a value that is clamped, and a reason that cites evidence. */
function answerCiting(evidenceId: string): string {
  return JSON.stringify({
    configuration: { ...current, '3.hole': 9 },
    reasons: [{ knob: '3.hole', cites: [evidenceId], reason: 'it is solved' }],
    kept: [{ knob: '4.hole', cites: [], reason: 'not yet' }],
    predictions: [{ family: '3', value: 0.5 }],
    rationale: 'harder',
  });
}

beforeAll(async () => {
  endpoint = await Endpoint.start();
  place = await tinyPlace();
  // The first answer cites what was not shown, so it is asked for again.
  const replies = [answerCiting('X99'), answerCiting('F1')];
  endpoint.script((_, { body }) =>
    answerReply(
      promptIn(body).includes('"configuration"') ? (replies.shift() ?? answerCiting('F1')) : 'I fall into holes.',
    ),
  );
  entries = modelEntriesOf({ gpt: { url: endpoint.url, model: 'served-model', key: 'THE_KEY' } });
  const settings = tinySettings({ record: 'all', engineer: 'gpt' });
  const { history } = await runTiny(place, { run, settings, entries });
  proposed = history.stages[0]?.proposals[0]?.data;
}, 60_000);

afterAll(async () => {
  await endpoint.stop();
  await copies.close();
  await place.close();
});

/** The findings about proposals, without their place. */
async function found(forged: Forge, others: Parameters<typeof again>[1] = {}): Promise<string[]> {
  const texts = findingTexts(await again(await copies.forged(place, forged), others));
  return texts.map((one) => one.replace(/^(\S+) \S+ /, '$1 ')).filter((one) => /ProposalRecorded|answer/.test(one));
}

/** Forges the answer that was repaired, which is the last one. */
const withAnswer =
  (change: (data: Data) => Data): Forge =>
  ({ type }, data) =>
    type === 'ModelAnswered' && data.key === proposed.answers[1].key ? change(data) : data;

const withProposal =
  (change: (data: Data) => Data): Forge =>
  ({ type }, data) =>
    type === 'ProposalRecorded' ? change(data) : data;

it('the answers of an honest run are read as they were: repaired, clamped, with reasons and predictions', async () => {
  const { counts, skipped, findings } = await again(place.ledger);
  expect(proposed).toMatchObject({ answers: [{}, {}], clamps: [{ knob: '3.hole', proposed: 9 }] });
  expect(findings.kept).toEqual([]);
  expect([counts.proposals, counts.answers, skipped]).toEqual([1, 1, 0]);
});

describe('a difference is found between an answer and', () => {
  it.each<[string, Forge, RegExp]>([
    [
      'the proposed values, if the answer was forged',
      withAnswer((data) => ({ ...data, answer: { text: data.answer.text.replace('"3.hole":9', '"3.hole":0.3') } })),
      /^recomputed-decision ProposalRecorded differs from its answer: data\.changes\[0\]\.to: recorded \S+ computed again 0\.3 /,
    ],
    [
      'a reason',
      withProposal((data) => ({ ...data, changes: [{ ...data.changes[0], reason: 'a whim' }] })),
      /data\.changes\[0\]\.reason: recorded "a whim", computed again "it is solved"$/,
    ],
    [
      'a cited evidence id',
      withProposal((data) => ({ ...data, changes: [{ ...data.changes[0], cites: ['F2'] }] })),
      /data\.changes\[0\]\.cites\[0\]: recorded "F2", computed again "F1"$/,
    ],
    [
      'the value that was asked for before it was clamped',
      withProposal((data) => ({ ...data, clamps: [{ ...data.clamps[0], proposed: 2 }] })),
      /data\.clamps\[0\]\.proposed: recorded 2, computed again 9$/,
    ],
    [
      'a knob that is kept',
      withProposal((data) => ({ ...data, kept: null })),
      /data\.kept: recorded null, computed again \[/,
    ],
    [
      'a prediction',
      withProposal((data) => ({ ...data, predictions: [{ ...data.predictions[0], value: 0.9 }] })),
      /data\.predictions\[0\]\.value: recorded 0\.9, computed again 0\.5$/,
    ],
    [
      'the rationale',
      withProposal((data) => ({ ...data, rationale: 'easier' })),
      /data\.rationale: recorded "easier", computed again "harder"$/,
    ],
    [
      'a proposal, if the first answer cannot be used either',
      ({ type }, data) => (type === 'ModelAnswered' ? { ...data, answer: { text: 'no' } } : data),
      /^recomputed-decision ProposalRecorded its answer is no proposal: unreadable$/,
    ],
  ])('%s', async (_, forged, says) => {
    const findings = await found(forged);
    expect(findings.filter((one) => says.test(one))).toHaveLength(1);
  });
});

describe('an answer is not read again, which is no fault, if', () => {
  it.each<[string, Forge, string]>([
    [
      'another version read it',
      withProposal((data) => ({ ...data, engineer: { ...data.engineer, version: '1' } })),
      'read by version 1, this is version 2',
    ],
    [
      'it is not recorded here',
      ({ type }, data) => (type === 'ModelAnswered' && data.purpose !== 'self-summary' ? null : data),
      'not recorded in this ledger',
    ],
    ['the proposal names none', withProposal(({ answers: _, ...data }) => data), 'their proposals do not name them'],
  ])('%s', async (_, forged, why) => {
    expect(await found(forged)).toEqual([`not-recomputed 1 answer: ${why}`]);
  });

  it('its text was erased', async () => {
    const textOf = async (): Promise<null> => null;
    const findings = await found((_, data) => data, { textOf });
    expect(findings).toEqual(['not-recomputed 1 answer: their texts are erased or lost']);
  });
});

it('the answers to the arms of an ablation are read again, and a forged proposal of an arm is found', async () => {
  const at = { ledger: await copies.forged(place, (_, data) => data), folder: place.folder };
  await ablateTiny({ ...place, ...at }, { runs: [run], engineers: ['gpt'], forms: ['failures'], entries });
  const { counts, findings } = await again(at.ledger, { run: null });
  expect(findings.faults).toBe(0);
  expect(counts.answers).toBe(2);
  const forged = await copies.forged({ ...place, ...at }, ({ type }, data) =>
    type === 'ArmProposed' && data.engineer.name === 'gpt' ? { ...data, rationale: 'easier' } : data,
  );
  expect(findingTexts(await again(forged, { run: null }))).toContainEqual(
    expect.stringMatching(/^recomputed-decision \S+ ArmProposed differs from its answer: data\.rationale: /),
  );
});
