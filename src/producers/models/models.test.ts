import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { Spending } from '../../lab/models/spending.ts';
import { Endpoint } from '../../lab/models/testing/endpoint.ts';
import { Notebook, question } from '../../lab/models/testing/models.ts';
import { served, wellBehaved } from '../../lab/models/testing/well-behaved.ts';
import { Models, type ModelsSettings } from './models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

/** A single model named `qwen`. */
function models(settings: Partial<ModelsSettings> = {}, more: object = {}): Models {
  const qwen = { url: endpoint.url, model: served, key: 'THE_KEY', ...more };
  const environment = { THE_KEY: 'sk-very-secret' };
  return new Models({ entries: modelEntriesOf({ qwen }), environment, permit: () => {}, ...settings });
}

describe('the models of a project', () => {
  it('are opened by name, with their key from the environment, and answers are recorded', async () => {
    endpoint.script(wellBehaved(() => 'four'));
    const book = new Notebook();
    const project = models({ book });
    const { key } = await project.open('qwen').ask(question());
    expect(book.kept.get(key)).toMatchObject({ answer: 'four', model: { endpoint: 'qwen' } });
    await project.close();
    await expect(project.open('qwen').ask(question('And three and three?'))).rejects.toThrow(
      'the model qwen is closed',
    );
  });

  it('are shared instances, so that identical concurrent questions are asked once', async () => {
    endpoint.script(wellBehaved(() => 'four'));
    const project = models();
    await Promise.all([project.open('qwen').ask(question()), project.open('qwen').ask(question())]);
    expect(endpoint.seen).toHaveLength(1);
    await project.close();
  });

  it('that are unknown give an error with similar names', () => {
    const opening = (): unknown => models().open('qwenn');
    expect(opening).toThrow('there is no model "qwenn" in the settings');
    expect(opening).toThrow(expect.objectContaining({ remedy: 'Did you mean qwen?' }));
  });

  it('whose key is missing in the environment are refused with its name', () => {
    expect(() => models({ environment: {} }).open('qwen')).toThrow(
      'THE_KEY, which has the key of the model qwen, is not',
    );
  });

  it('that are not permitted are refused before their key is read', () => {
    const permit = (): never => {
      throw new Error('not allowed');
    };
    expect(() => models({ permit, environment: {} }).open('qwen')).toThrow('not allowed');
  });

  it('are refused under a cap if the cost of an answer is unknown', () => {
    const spending = new Spending({ currency: 'USD', most: 1 });
    expect(() => models({ spending }).open('qwen')).toThrow('no prices');
    expect(() => models({ spending }, { prices: { input: 1, output: 0 } }).open('qwen')).not.toThrow();
  });
});
