// What a model says of itself, asked for at an endpoint of this suite.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descriptor } from '../../lab/lake/descriptor.ts';
import { Endpoint, says, status } from '../../lab/models/testing/endpoint.ts';
import { modelAt, Notebook } from '../../lab/models/testing/models.ts';
import { stagedHistory } from '../contexts/testing/hand-made.ts';
import { withLedger } from '../contexts/testing/staged.ts';
import { selfSummary } from './self-summary.ts';
import { NothingToSumUp } from './summarise.ts';
import type { Fact, Summary } from './summary.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

const valid: Fact = { label: 'B8.valid', group: '8', measure: 'valid', value: 0.25, count: 1, of: 4 };
const behaviour: Summary = { module: 'behaviour', facts: [valid], exemplars: [], text: null };
const stats: Summary = {
  module: 'stats',
  facts: [{ ...valid, label: 'S8.tasks', measure: 'tasks' }],
  exemplars: [],
  text: null,
};

async function asked(summaries: readonly Summary[], book = new Notebook()): Promise<Summary> {
  return await withLedger(async (ledger) => {
    const history = stagedHistory([summaries]);
    const model = modelAt(endpoint.url, {}, { book });
    const of = { ledger, textOf: async () => null, environment: { descriptor }, history, stage: 1, exemplars: 0 };
    return await selfSummary({ ...of, model, checkpoint: null });
  });
}

it('a model is shown what was measured of it, and its words are recorded with where the answer is kept', async () => {
  endpoint.replies(says('I fall into holes.\u001b[2J\n\nI wait too little.'));
  const book = new Notebook();
  const summary = await asked([behaviour, stats], book);
  const [key] = [...book.kept.keys()];
  expect(summary).toMatchObject({
    module: 'self-summary',
    facts: [],
    exemplars: [],
    text: { text: 'I fall into holes.\\x1b[2J\n\nI wait too little.' },
    answer: { key },
  });
  const prompt = book.kept.get(key ?? '')?.prompt;
  expect(prompt).toContain('B8  25% (1/4)');
  expect(prompt).toContain('MAPF-FrozenLake');
  expect(prompt).not.toContain('S8');
});

it('what was answered is not asked again', async () => {
  endpoint.replies(says('I fall into holes.'));
  const book = new Notebook();
  const first = await asked([behaviour], book);
  endpoint.replies(status(500));
  expect(await asked([behaviour], book)).toEqual(first);
});

it.each([
  ['refuses', says('', { message: { content: null, refusal: 'I will not.' } })],
  ['says nothing', says('  \n ')],
])('where it %s there is no text', async (_, reply) => {
  endpoint.replies(reply);
  expect((await asked([behaviour])).text).toBe(null);
});

it('nothing is asked where nothing was summed up', async () => {
  await expect(asked([])).rejects.toThrow(NothingToSumUp);
  await expect(asked([stats])).rejects.toThrow('no summary of what the policy did');
});
