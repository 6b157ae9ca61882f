// Self-summaries of a model at an endpoint of this suite.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { answerReply, Endpoint, status } from '../../lab/models/testing/endpoint.ts';
import { modelAt, Notebook } from '../../lab/models/testing/models.ts';
import { buildContext } from '../contexts/build.ts';
import { formNamed } from '../contexts/forms.ts';
import { stagedHistory } from '../contexts/testing/hand-made.ts';
import { selfSummary } from './self-summary.ts';
import { NothingToSummarise } from './summarise.ts';
import type { Fact, Summary } from './summary.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

const valid: Fact = { evidenceId: 'B8.valid', family: '8', measure: 'valid', value: 0.25, count: 1, of: 4 };
const behaviour: Summary = { module: 'behaviour', facts: [valid], exemplars: [], text: null };
const failing: Fact = {
  evidenceId: 'FC8.hole',
  family: '8',
  measure: 'failures',
  about: 'hole',
  value: 1,
  count: 3,
  of: 3,
};
const drawn = Array.from({ length: 6 }, (_, i) => ({
  ...{ evidenceId: `F${i + 1}`, rollout: `0000000${i}-0000-8000-8000-000000000000`, family: '8', class: 'hole' },
  drawing: `drawing ${i + 1} `.repeat(40),
}));
const failures: Summary = { module: 'failures', facts: [failing], exemplars: drawn, text: null };
const stats: Summary = {
  module: 'stats',
  facts: [{ ...valid, evidenceId: 'S8.tasks', measure: 'tasks' }],
  exemplars: [],
  text: null,
};

const textOf = async () => null;

async function summaryOf(summaries: readonly Summary[], book = new Notebook(), budget = 0): Promise<Summary> {
  const history = stagedHistory([summaries]);
  const model = modelAt(endpoint.url, {}, { book });
  const of = { textOf, environment: { descriptor }, history, stage: 1, budget };
  return await selfSummary({ ...of, model, checkpoint: null });
}

it('the model gets the failures, and its text is recorded with the key of the answer', async () => {
  endpoint.replies(answerReply('I fall into holes.\u001b[2J\n\nI wait too little.'));
  const book = new Notebook();
  const summary = await summaryOf([behaviour, stats, failures], book);
  const [key] = [...book.kept.keys()];
  expect(summary).toMatchObject({
    module: 'self-summary',
    facts: [],
    exemplars: [],
    text: { text: 'I fall into holes.\\x1b[2J\n\nI wait too little.' },
    answer: { key },
  });
  const prompt = book.kept.get(key ?? '')?.prompt;
  expect(prompt).toContain('FC8  100% (3/3)');
  expect(prompt).toContain('MAPF-FrozenLake');
});

it.each([0, 2000, 2600])(
  'the model is shown exactly the context v4, and nothing else of its run: %d tokens',
  async (budget) => {
    endpoint.replies(answerReply('I fall into holes.'));
    const book = new Notebook();
    const summaries = [behaviour, stats, failures];
    await summaryOf(summaries, book, budget);
    const [{ prompt = '' } = {}] = [...book.kept.values()];
    const history = stagedHistory([summaries]);
    const v4 = await buildContext({ descriptor, history, stage: 1, form: formNamed('v4'), budget, textOf });
    const [before = '', after = '', ...more] = prompt.split(v4.shown.text.trimEnd());
    expect(more).toEqual([]);
    expect(before + after).not.toMatch(/\d|MAPF|hole/);
  },
);

it('a recorded answer is reused', async () => {
  endpoint.replies(answerReply('I fall into holes.'));
  const book = new Notebook();
  const first = await summaryOf([failures], book);
  endpoint.replies(status(500));
  expect(await summaryOf([failures], book)).toEqual(first);
});

it.each([
  ['refuses', answerReply('', { message: { content: null, refusal: 'I will not.' } })],
  ['says nothing', answerReply('  \n ')],
])('the summary has no text if the model %s', async (_, reply) => {
  endpoint.replies(reply);
  expect((await summaryOf([failures])).text).toBe(null);
});

it('the model is not asked without a summary of failures', async () => {
  await expect(summaryOf([])).rejects.toThrow(NothingToSummarise);
  await expect(summaryOf([stats, behaviour])).rejects.toThrow('no summary of how the policy fails');
});
