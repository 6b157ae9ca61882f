// What an ablation would cost.
import { expect, it, onTestFinished } from 'vitest';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';
import { designTiny, keptRuns } from '../../producers/ablation/testing/tiny-ablation.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { planned } from './plan.ts';

const run = 'whole0000000';
const settings = tinySettings({ budget: { 'agent-steps': 60 }, validation: 2, trained: 4 });

it.each([
  ['1,500 tokens without a limit', {}, 1500],
  ['1,500 tokens with a higher limit', { max_tokens: 16_384 }, 1500],
  ['a lower limit', { max_tokens: 200 }, 200],
  ['a lower limit under its newer name', { max_completion_tokens: 300 }, 300],
])('a plan takes a model to answer with %s', async (_, parameters, tokens) => {
  const place = await (await keptRuns({ run, settings })).copy();
  onTestFinished(() => place.close());
  const prices = { input: 0, output: 1_000_000, currency: 'USD' };
  const entries = modelEntriesOf({ gpt: { url: 'http://127.0.0.1:1/v1', model: 'm', prices, parameters } });
  const design = await designTiny(place, { runs: [run], engineers: ['gpt'], forms: ['behaviour'], entries });
  const record = new AblationRecord(design.ablation);
  const plan = await planned({ ledger: place.ledger, design, record, entries, isDeclared: false });
  expect(plan.cost).toEqual({ USD: plan.questions * tokens });
});
