import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import { checkLake } from '../../../testbed/lake/configuration.ts';
import { QuotaSpent, Unauthorised } from '../models/faults.ts';
import { Model } from '../models/model.ts';
import { answerReply, Endpoint, piece, silent, status, streams } from '../models/testing/endpoint.ts';
import { FakeClock } from '../models/testing/fake-clock.ts';
import { Notebook, timeout } from '../models/testing/models.ts';
import { realModel, realUrl } from '../models/testing/real-model.ts';
import { decisionOn } from './decision.ts';
import { EngineerClosed } from './engineer.ts';
import { openLanguageEngineer } from './language.ts';
import {
  engineerAt,
  good,
  goodAnswer,
  goodConfiguration,
  messagesIn,
  proposalOf,
  rejectionOf,
} from './testing/engineering.ts';
import { askedOf, askedOfLakes, coins, coinsNow, contextWith, everyModule } from './testing/questions.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

const prices = { input: 1, output: 10 };

describe('a model as engineer', () => {
  it('proposes a whole configuration with reasons, kept knobs and predictions', async () => {
    endpoint.replies(answerReply(goodAnswer));
    const { answers, usage, cost, measured, ...proposal } = await proposalOf(
      engineerAt(endpoint, { entry: { prices } }),
    );
    expect(proposal).toEqual({
      ...good,
      configuration: goodConfiguration,
      predictions: good.predictions.map((one) => ({ ...one, measure: 'valid' })),
    });
    expect(answers).toEqual([{ key: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(usage).toEqual({ input: 12, output: 5 });
    expect(cost?.total).toBeCloseTo(62e-6);
    expect(measured).toMatchObject({ attempts: 1 });
    expect(endpoint.seen).toHaveLength(1);
  });

  it('is identified by its name, its model and its settings, and can use any module', () => {
    const engineer = engineerAt(endpoint, {
      name: 'checkpoint@2',
      entry: { parameters: { temperature: 1 }, schemas: true },
    });
    expect(engineer.identity).toEqual({
      name: 'checkpoint@2',
      version: '2',
      model: 'served-model',
      reads: engineer.reads,
      parameters: { kind: 'language', endpoint: 'local', parameters: { temperature: 1 }, schemas: true },
    });
    expect(engineer.reads).toEqual(everyModule);
  });

  it('may answer with prose, code fences, reasoning and in pieces', async () => {
    endpoint.replies(
      answerReply(`<think>{"configuration": {}}</think>I see.\n\`\`\`json\n${goodAnswer}\n\`\`\`\nSo be it.`),
    );
    expect((await proposalOf(engineerAt(endpoint))).configuration).toEqual(goodConfiguration);
    const half = goodAnswer.length / 2;
    const pieces = [goodAnswer.slice(0, half), goodAnswer.slice(half)].map((content) => piece({ content }));
    endpoint.replies(streams(...pieces, piece({}, 'stop'), '[DONE]'));
    expect((await proposalOf(engineerAt(endpoint, { entry: { stream: true } }))).configuration).toEqual(
      goodConfiguration,
    );
  });

  it('gets the answer format as a JSON schema if the endpoint supports it, and in words', async () => {
    endpoint.replies(answerReply(goodAnswer));
    await proposalOf(engineerAt(endpoint));
    expect(endpoint.seen[0]?.body).not.toHaveProperty('response_format');
    await proposalOf(engineerAt(endpoint, { entry: { schemas: true } }));
    const [inWords, held] = endpoint.seen;
    expect(held?.body['messages']).toEqual(inWords?.body['messages']);
    expect(held?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: {
        strict: true,
        schema: {
          required: ['rationale', 'configuration', 'reasons', 'kept', 'predictions'],
          additionalProperties: false,
          properties: {
            configuration: {
              properties: {
                'small.share': { type: 'number' },
                'large.share': { type: 'number' },
                kinds: { type: 'integer' },
              },
              required: ['small.share', 'large.share', 'kinds'],
              additionalProperties: false,
            },
          },
        },
      },
    });
  });

  it('sends identical bytes for the same question, and reuses a recorded answer', async () => {
    const book = new Notebook();
    endpoint.replies(answerReply('no'), answerReply(goodAnswer), answerReply('no'), answerReply(goodAnswer));
    const first = await proposalOf(engineerAt(endpoint, { model: { book } }));
    expect(await proposalOf(engineerAt(endpoint, { model: { book } }))).toEqual(first);
    expect(endpoint.seen).toHaveLength(2);
    const again = await proposalOf(engineerAt(endpoint));
    expect(again.answers).toEqual(first.answers);
    expect(endpoint.seen[2]?.body).toEqual(endpoint.seen[0]?.body);
    expect(endpoint.seen[3]?.body).toEqual(endpoint.seen[1]?.body);
  });

  it('asks again for another sample and for another seed', async () => {
    endpoint.replies(answerReply(goodAnswer));
    const engineer = engineerAt(endpoint, { entry: { seeds: true } });
    const keys = new Set();
    for (const change of [{}, { sample: 1 }, { seed: 'two' }])
      keys.add((await proposalOf(engineer, change)).answers?.[0]?.key);
    expect(keys.size).toBe(3);
    expect(new Set(endpoint.seen.map(({ body }) => body['seed'])).size).toBe(3);
  });

  it('asks the served checkpoint, if there is one', async () => {
    endpoint.replies(answerReply(goodAnswer));
    const checkpoint = { reference: 'step-9', digest: 'd'.repeat(64) };
    const entry = { model: 'lora-{checkpoint}', base: 'served-model' };
    for (const snapshot of [(given: typeof checkpoint | null) => given, () => null])
      await proposalOf(engineerAt(endpoint, { entry, snapshot: snapshot as () => typeof checkpoint }), { checkpoint });
    expect(endpoint.seen.map(({ body }) => body['model'])).toEqual(['lora-step-9', 'served-model']);
  });

  it('keeps all digits of values that it copies as shown', async () => {
    endpoint.replies(
      answerReply(JSON.stringify({ configuration: { 'small.share': 0.666667, 'large.share': 0.333333, kinds: 5 } })),
    );
    expect((await proposalOf(engineerAt(endpoint))).configuration).toEqual({ ...coinsNow, kinds: 5 });
  });

  it('may exceed ranges and totals: clamping them needs no second question', async () => {
    endpoint.replies(
      answerReply(JSON.stringify({ ...good, configuration: { 'small.share': 2, 'large.share': 0.7, kinds: 40 } })),
    );
    expect((await proposalOf(engineerAt(endpoint))).configuration).toMatchObject({ kinds: 40 });
    expect(endpoint.seen).toHaveLength(1);
  });
});

describe('an unusable answer', () => {
  const bad = JSON.stringify({ ...good, configuration: { 'small.share': '0.3', 'large.shar': 0.7, kinds: 40 } });

  it('is sent back once with all issues, and both answers are paid for', async () => {
    endpoint.replies(answerReply(bad), answerReply(goodAnswer));
    const { answers, usage, cost, configuration } = await proposalOf(engineerAt(endpoint, { entry: { prices } }));
    expect(configuration).toEqual(goodConfiguration);
    const [asked, repair] = endpoint.seen.map(messagesIn);
    expect(asked).toHaveLength(1);
    expect(repair?.slice(0, 2)).toEqual([asked?.[0], { role: 'assistant', content: bad }]);
    expect(repair?.[2]?.content).toMatchInlineSnapshot(`
      "That answer cannot be used as it is:

      - configuration["large.shar"]: found an unknown key, allowed: a known one, perhaps "large.share"
      - configuration["small.share"]: found "0.3" (a string), allowed: a number from 0 to 1
      - configuration["large.share"]: found nothing, allowed: a number from 0 to 1
      - configuration.kinds: found 40 (a number), allowed: a whole number from 1 to 9

      Answer once more, with the whole JSON object in the form that was asked for. What was right in it may stay."
    `);
    expect(answers).toHaveLength(2);
    expect(usage).toEqual({ input: 24, output: 10 });
    expect(cost?.total).toBeCloseTo(124e-6);
  });

  it('is rejected with a reason if the repair is unusable too', async () => {
    const worse = JSON.stringify({ ...good, configuration: { 'small.share': 1, 'large.share': null, kinds: 4 } });
    endpoint.replies(answerReply(bad), answerReply(worse));
    const { reason, issues, raw, answers } = await rejectionOf(engineerAt(endpoint));
    expect({ reason, issues, raw }).toEqual({
      reason: 'invalid',
      issues: [{ field: 'configuration["large.share"]', found: 'null', allowed: 'a number from 0 to 1' }],
      raw: { text: worse },
    });
    expect(answers).toHaveLength(2);
    expect(endpoint.seen).toHaveLength(2);
  });

  it.each([
    ['nothing', '', 'empty'],
    ['not JSON', 'I would make it harder.', 'unreadable'],
    ['incomplete', goodAnswer.slice(0, -9), 'unreadable'],
    ['of another form', '{"kinds": 4}', 'invalid'],
  ])('that is %s is rejected with its reason', async (_, answer, expected) => {
    endpoint.replies(answerReply(answer));
    const { reason, raw } = await rejectionOf(engineerAt(endpoint));
    expect({ reason, raw }).toEqual({ reason: expected, raw: { text: answer } });
    expect(endpoint.seen).toHaveLength(2);
    const roles = endpoint.seen.map((seen) => messagesIn(seen).map(({ role }) => role));
    expect(roles[1]).toEqual(answer === '' ? ['user'] : ['user', 'assistant', 'user']);
  });

  it('that the environment refuses is impossible', async () => {
    const check = (configuration: object) => [
      { field: 'kinds', found: JSON.stringify(configuration), allowed: 'fewer' },
    ];
    endpoint.replies(answerReply(goodAnswer));
    expect(await rejectionOf(engineerAt(endpoint, { check }))).toMatchObject({
      reason: 'impossible',
      issues: [{ field: 'configuration.kinds', found: JSON.stringify(goodConfiguration), allowed: 'fewer' }],
    });
    expect(messagesIn(endpoint.seen[1] ?? expect.fail()).at(-1)?.content).toContain('configuration.kinds: found {');
  });
});

describe('unknown evidence ids', () => {
  const citing = (...cites: string[]): string =>
    JSON.stringify({ ...good, reasons: [{ knob: 'large.share', cites, reason: 'so' }] });

  it('trigger one repair, and do not count as evidence afterwards', async () => {
    endpoint.replies(answerReply(citing('F77', 'Blarge.valid')), answerReply(citing('F78', 'Bsmall.valid')));
    const { reasons } = await proposalOf(engineerAt(endpoint));
    expect(reasons).toEqual([
      { knob: 'large.share', cites: ['Bsmall.valid'], reason: 'so [names "F78", of which nothing was shown]' },
    ]);
    expect(messagesIn(endpoint.seen[1] ?? expect.fail()).at(-1)?.content).toContain(
      '- reasons[0].cites[0]: found "F77", allowed: an evidence id of what was shown',
    );
  });

  it('disappear if the second answer has none', async () => {
    endpoint.replies(answerReply(citing('F77')), answerReply(goodAnswer));
    expect((await proposalOf(engineerAt(endpoint))).reasons).toEqual(good.reasons);
  });

  it.each([
    ['worse', answerReply('No, I am right.')],
    ['no answer', status(400)],
    ['not to be paid for', status(402)],
    ['cut', answerReply(goodAnswer, { finish: 'length' })],
  ])('do not spoil a usable proposal if the second answer is %s', async (_, second) => {
    endpoint.replies(answerReply(citing('F77')), second);
    const { reasons, configuration } = await proposalOf(engineerAt(endpoint));
    expect(configuration).toEqual(goodConfiguration);
    expect(reasons[0]).toMatchObject({ cites: [], reason: 'so [names "F77", of which nothing was shown]' });
  });
});

describe('a model that gives no answer', () => {
  const calls = { message: { content: null, tool_calls: [{}] } };
  it.each([
    [
      'refuses',
      answerReply('', { message: { content: null, refusal: 'I will not.' } }),
      'refused',
      { text: 'I will not.' },
    ],
    ['is filtered', answerReply('half', { finish: 'content_filter' }), 'refused', { text: 'half' }],
    ['calls tools', answerReply('', calls), 'unreadable', null],
    ['is truncated', answerReply(goodAnswer, { finish: 'length' }), 'unreadable', { text: goodAnswer }],
    ['is truncated while reasoning', answerReply('<think>hm', { finish: 'length' }), 'unreadable', { text: '' }],
  ])('because it %s is rejected and not asked again', async (_, reply, reason, raw) => {
    endpoint.replies(reply);
    const rejected = await rejectionOf(engineerAt(endpoint, { model: { clock: new FakeClock() } }));
    expect(rejected).toMatchObject({ reason, raw });
    expect(rejected.issues[0]?.found).toMatch(/\w+ \w+/);
    expect(new Set(endpoint.seen.map((seen) => messagesIn(seen).length))).toEqual(new Set([1]));
  });

  it.each([
    ['refuses the request', status(400, { error: { message: 'too long' } })],
    ['fails', status(500)],
    ['returns no JSON', status(200, '<html>')],
  ])('because its endpoint %s is an error', async (_, reply) => {
    endpoint.replies(reply);
    const asking = engineerAt(endpoint, { model: { clock: new FakeClock() } }).propose(askedOf());
    await expect(asking).rejects.toMatchObject({ name: 'EngineerFailed', failure: 'unavailable', raw: null });
  });

  it('in time is a timeout', async () => {
    endpoint.replies(silent);
    const clock = new FakeClock();
    const asking = engineerAt(endpoint, { model: { clock } }).propose(askedOf());
    const failed = expect(asking).rejects.toMatchObject({ failure: 'timeout', raw: null, spent: { answers: [] } });
    await endpoint.arrived();
    clock.advance(1000 * timeout.whole);
    await failed;
  });

  it('to the repair is an error with the cost so far', async () => {
    endpoint.replies(answerReply('No.'), silent);
    const clock = new FakeClock();
    const asking = engineerAt(endpoint, { entry: { prices }, model: { clock } }).propose(askedOf());
    const failed = expect(asking).rejects.toMatchObject({
      failure: 'timeout',
      message: expect.stringContaining('within'),
      raw: { text: 'No.' },
      spent: { answers: [{}], usage: { input: 12, output: 5 } },
    });
    await endpoint.arrived(2);
    clock.advance(1000 * timeout.whole);
    await failed;
  });

  it('because of its key is refused as unauthorised', async () => {
    endpoint.replies(status(401));
    await expect(engineerAt(endpoint).propose(askedOf())).rejects.toThrow(Unauthorised);
  });

  it('to a repair because its quota is spent is not a rejection', async () => {
    endpoint.replies(answerReply('No.'), status(402));
    await expect(engineerAt(endpoint).propose(askedOf())).rejects.toThrow(QuotaSpent);
  });

  it('is abandoned on abort, and the reason is thrown', async () => {
    endpoint.replies(silent);
    const stop = new AbortController();
    const engineer = engineerAt(endpoint);
    const [stopped, closed] = [
      engineer.propose(askedOf({ signal: stop.signal })),
      engineer.propose(askedOf({ sample: 1 })),
    ];
    closed.catch(() => {});
    await endpoint.arrived(2);
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await engineer.close();
    await expect(closed).rejects.toThrow(EngineerClosed);
    await expect(engineer.propose(askedOf())).rejects.toThrow(EngineerClosed);
    while (endpoint.underWay > 0) await new Promise(setImmediate);
  });
});

describe.skipIf(realUrl === undefined)(`a real endpoint ${realUrl ?? ''}`, () => {
  it('proposes usable lakes, or is rejected with a reason', async () => {
    const rates = { '3': 0.9, '4': 0.7, '5': 0.4, '6': 0.1, '7': 0, '8': 0 };
    const text = Object.entries(rates).map(
      ([size, rate]) => `[B${size}.valid] size ${size}: ${rate} of the plans are valid`,
    );
    const asked = askedOfLakes({ context: contextWith(text.join('\n'), rates) });
    const settings = { name: 'real', reads: everyModule, check: checkLake, snapshot: () => null };
    const answer = await openLanguageEngineer({ ...settings, model: new Model(realModel()) }).propose(asked);
    if ('rejected' in answer) return expect(['invalid', 'unreadable']).toContain(answer.rejected.reason);
    expect(decisionOn(asked.descriptor, asked.current, answer.proposal, checkLake)).toHaveProperty('decision');
  });
});

// Six equal shares are shown as 0.166667 each, so what a model was shown sums to 1.000002.

describe('shares that were shown rounded', () => {
  const sixth: Knob = { ...(coins.knobs[0] ?? expect.fail()), family: null, range: { min: 0, max: 1 } };
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const dice: Descriptor = {
    ...coins,
    knobs: names.map((name) => ({ ...sixth, name, path: ['shares', name] })),
    sharesSum: [{ knobs: names, total: 1 }],
    families: [],
  };
  const current = { shares: Object.fromEntries(names.map((name) => [name, 1 / 6])) };
  const shown = Object.fromEntries(names.map((name) => [name, 0.166667]));

  const decided = async (configuration: object) => {
    endpoint.replies(answerReply(JSON.stringify({ configuration })));
    const proposal = await proposalOf(engineerAt(endpoint), { descriptor: dice, current, context: null });
    const made = decisionOn(dice, current, proposal, () => []);
    return 'decision' in made ? made.decision : expect.fail(JSON.stringify(made.issues));
  };

  it('change where the model changed them and nowhere else, without a clamp', async () => {
    // Moved from one to the other; summing to exactly 1; both rounded to six digits again.
    for (const [a, b] of [
      [0.226667, 0.106667],
      [0.226667, 0.106665],
      [0.226666, 0.106666],
    ]) {
      const { changes, clamps, configuration } = await decided({ ...shown, a, b });
      expect(changes.map(({ knob }) => knob)).toEqual(['a', 'b']);
      expect(clamps).toEqual([]);
      const { shares } = configuration as typeof current;
      expect(shares['c']).toBe(1 / 6);
      expect(shares['a']).toBeCloseTo(a ?? Number.NaN, 5);
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });

  it('are scaled and recorded as clamps if more than the rounding is wrong', async () => {
    const { clamps } = await decided({ ...shown, a: 0.2268 });
    expect(clamps.map(({ rule }) => rule)).toEqual(names.map(() => 'shares-sum'));
  });

  it('are no fault in the request to correct another one', async () => {
    endpoint.replies(answerReply(JSON.stringify({ configuration: { ...shown, g: 1 } })));
    await rejectionOf(engineerAt(endpoint), { descriptor: dice, current, context: null });
    const repair = messagesIn(endpoint.seen[1] ?? expect.fail()).at(-1)?.content;
    expect(repair).toContain('- configuration.g: found an unknown key');
    expect(repair).not.toContain('1.000002');
  });

  it('must still be numbers', async () => {
    endpoint.replies(answerReply(JSON.stringify({ configuration: { ...shown, a: '0.166667' } })));
    const { issues } = await rejectionOf(engineerAt(endpoint), { descriptor: dice, current, context: null });
    expect(issues).toContainEqual(
      expect.objectContaining({ field: 'configuration.a', found: '"0.166667" (a string)' }),
    );
  });
});
