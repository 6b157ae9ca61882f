// The recorded model of a run is sufficient to ask it from another machine, and contains no secret.
import { describe, expect, it } from 'vitest';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { modelAt } from '../../lab/models/testing/models.ts';
import { withEndpoint, withRecorded } from './recorded.ts';

const url = 'http://localhost:8000/v1';
const component = { name: 'local', parameters: { kind: 'language' } };
const whole = {
  ...{ model: 'lora-{checkpoint}', base: 'qwen', prices: { input: 1, output: 2, cached: 0.5, currency: 'EUR' } },
  ...{ parameters: { max_tokens: 99 }, greedy: { temperature: 0.1 }, seeds: true, schemas: true, stream: true },
  ...{ concurrency: 3, timeout: { connect: 1, firstByte: 2, whole: 3 }, tokensPerMinute: 1000 },
};

describe('the model of a run', () => {
  it.each([
    ['with every setting', whole],
    ['with default settings', { timeout: {} }],
  ])('%s is restored if the settings do not have it', (_, more) => {
    const model = modelAt(url, more);
    const recorded = withEndpoint({ component, model });
    expect(recorded.parameters).toMatchObject(component.parameters);
    expect(withRecorded(new Map(), JSON.parse(JSON.stringify(recorded))).get('local')).toEqual(model.entry);
    expect(JSON.stringify(recorded)).not.toContain('sk-very-secret');
  });

  it("is taken from the project's settings if they have it", () => {
    const recorded = withEndpoint({ component, model: modelAt(url) });
    const own = modelEntriesOf({ local: { url: 'http://elsewhere/v1', model: 'served-model' } });
    expect(withRecorded(own, recorded)).toEqual(own);
  });

  it('never loads adapters into servers, even if the record has settings for it', () => {
    const { parameters, ...recorded } = withEndpoint({ component, model: modelAt(url, whole) });
    const entry = { ...(parameters?.['entry'] as object), serve: { path: '/elsewhere' } };
    const forged = { ...recorded, parameters: { ...parameters, entry } };
    expect(withRecorded(new Map(), forged).get('local')?.serve).toBeNull();
  });

  it('is missing if the policy is not a model', () => {
    expect(withEndpoint({ component, model: null })).toEqual(component);
    expect(withRecorded(new Map(), component)).toEqual(new Map());
  });
});
