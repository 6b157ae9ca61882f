import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lakeFailureClasses } from '../../schemas/lake-output.ts';
import { tries } from '../../schemas/testing/tries.ts';
import { icecore, lines, type Ran, type Surroundings, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../src/cli/testing/published.ts';
import { digestOf } from '../lake/instance.ts';
import { failureClasses } from '../lake/judge.ts';
import { defaultEffort } from '../lake/solver/solver.ts';
import { longestLine } from './lines.ts';
import { bay, corridor, crossing, endless, headOn, line, randomLines } from './testing/lines.ts';

type Verb = 'solve' | 'judge';

function run(verb: Verb, stdin: Surroundings['stdin'], ...options: string[]): Promise<Ran> {
  return icecore(['lake', verb, ...options], { cwd: temporaryFolder(), stdin: stdin ?? '' });
}

/** The answers, checked with the published schema. */
function answers(verb: Verb, { stdout }: Ran): Record<string, unknown>[] {
  return lines(stdout).map((text) => {
    const answer = JSON.parse(text) as Record<string, unknown>;
    expect(faultsAgainst(`lake-${verb}`, answer)).toEqual([]);
    return answer;
  });
}

describe('icecore lake solve', () => {
  it('answers an instance with its optimal cost and a plan', async () => {
    const ran = await run('solve', line({ ...crossing, id: 'first' }));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(answers('solve', ran)).toEqual([
      {
        id: 'first',
        digest: digestOf(crossing),
        solvable: true,
        cost: 6,
        needsWait: false,
        plan: [expect.stringMatching(/^[DR]{4}$/), 'UU'],
      },
    ]);
    expect(Object.keys(answers('solve', ran)[0] ?? {})).toEqual([
      'id',
      'digest',
      'solvable',
      'cost',
      'needsWait',
      'plan',
    ]);
  });

  it('says if an agent has to wait', async () => {
    expect(answers('solve', await run('solve', line(bay)))).toMatchObject([
      { solvable: true, needsWait: true, cost: 7 },
    ]);
  });

  it('names the agents without a plan', async () => {
    expect(answers('solve', await run('solve', line(corridor)))).toEqual([
      {
        id: null,
        digest: digestOf(corridor),
        solvable: false,
        cost: null,
        needsWait: null,
        plan: null,
        because: [0, 1],
      },
    ]);
  });

  it('reports its bound if the effort is not enough, and succeeds', async () => {
    const ran = await run('solve', line(endless), '--effort', '1_000');
    expect(ran.code).toBe(0);
    expect(answers('solve', ran)).toMatchObject([
      {
        solvable: 'undecided',
        cost: null,
        plan: null,
        bound: expect.any(Number),
        reason: expect.stringContaining('1000'),
      },
    ]);
  });
});

describe('icecore lake judge', () => {
  const judged = async (text: string, ...options: string[]) => answers('judge', await run('judge', text, ...options));

  it('reports the cost of a valid plan, and whether it is optimal', async () => {
    const plans = [
      ['RRDD', 'UU'],
      ['RRDD', 'UUDU'],
      ['rrdd', 'uu'],
    ];
    expect(await judged(plans.map((plan, i) => line({ ...crossing, id: `${i}` }, { plan })).join(''))).toEqual([
      { id: '0', outcome: 'valid', cost: 6, optimal: true, failures: [] },
      { id: '1', outcome: 'valid', cost: 8, optimal: false, failures: [] },
      { id: '2', outcome: 'valid', cost: 6, optimal: true, failures: [] },
    ]);
  });

  it('lists what went wrong, with rows and columns', async () => {
    expect(await judged(line(crossing, { plan: ['DRDR', 'UUU'] }))).toEqual([
      {
        id: null,
        outcome: 'off-grid',
        cost: null,
        optimal: null,
        failures: [{ class: 'off-grid', step: 3, agents: [1], cell: [0, 1] }],
      },
    ]);
  });

  it('accepts a path of cells as a plan', async () => {
    const plan = [
      [
        [0, 0],
        [0, 1],
        [0, 2],
        [1, 2],
        [2, 2],
      ],
      [
        [2, 1],
        [1, 1],
        [0, 1],
      ],
    ];
    expect(await judged(line(crossing, { plan }))).toMatchObject([{ outcome: 'valid', cost: 6 }]);
  });

  it('judges an invalid plan, and says why', async () => {
    const bad = [null, 'RR', ['RX', 'U'], { a: 1 }];
    const found = await judged(bad.map((plan) => line(crossing, { plan })).join(''));
    expect(found.map(({ outcome }) => outcome)).toEqual(bad.map(() => 'parse-error'));
    expect(found[2]).toMatchObject({
      failures: [{ class: 'parse-error', step: 0, agents: [0], cell: null, words: expect.stringContaining('"X"') }],
    });
  });

  it('finds the plan in the answer of a model, as lake evaluate does', async () => {
    const said =
      'First I thought <think>{"plan": ["U", "U"]}</think> of it.\n```json\n{"plan": ["RRDD", "WRRUU"]}\n```';
    const [found] = await judged(line(crossing, { answer: said }));
    expect([found]).toEqual(await judged(line(crossing, { plan: ['RRDD', 'WRRUU'] })));
    expect(await judged(line(crossing, { answer: '<think>{"plan": ["RRDD", "WRRUU"]}' }))).toMatchObject([
      { outcome: 'parse-error' },
    ]);
  });

  it('counts a truncated text as truncated unless it contains a valid plan', async () => {
    expect(await judged(line(crossing, { plan: null, truncated: true }))).toMatchObject([{ outcome: 'truncated' }]);
    expect(await judged(line(crossing, { plan: ['RRDD', 'UU'], truncated: true }))).toMatchObject([
      { outcome: 'valid' },
    ]);
  });

  it('does not say whether a plan is optimal if the effort is not enough', async () => {
    const text = line(headOn, { plan: ['RRRRRRR', 'DDLLLLLLLUU', 'R', 'R', 'R', 'R'] });
    expect(await judged(text)).toMatchObject([{ outcome: 'valid', cost: 22, optimal: false }]);
    expect(await judged(text, '--effort', '1')).toMatchObject([{ outcome: 'valid', cost: 22, optimal: null }]);
  });

  it('has every failure class in its output schema', () => {
    expect(lakeFailureClasses).toEqual(failureClasses);
  });
});

describe('a line that cannot be answered', () => {
  const good = line({ ...crossing, id: 'good' }, { plan: ['RRDD', 'UU'] });

  it.each<[string, string, string]>([
    ['invalid JSON', 'nonsense', 'line 2: column 1: found "nonsense" (invalid JSON), allowed: a JSON value'],
    ['cut JSON', '{"size": 3', 'line 2: column 11: found the end of the line (invalid JSON), allowed: "," or "}"'],
    ['no object', '[1]', 'line 2: found [1], allowed: an object: {"size": 8, "holes": [...], "agents": [...]}'],
    ['a wrong size', '{"size": 99}', 'line 2: size: found 99, allowed: a whole number from 3 to 32'],
    ['no plan', line(crossing).trim(), 'line 2: plan: found nothing, allowed: '],
    ['an answer that is not a text', line(crossing, { answer: ['R'] }).trim(), 'line 2: answer: found '],
    ['an answer together with a plan', line(crossing, { answer: '', plan: [] }).trim(), 'line 2: answer: found a plan'],
    [
      'a truncated flag that is not boolean',
      line(crossing, { plan: null, truncated: 1 }).trim(),
      'line 2: truncated: found 1',
    ],
  ])('is answered in its place: %s', async (_, bad, message) => {
    const ran = await run('judge', `${good}${bad}\n${good}`);
    expect(ran.code).toBe(1);
    const [before, error, after] = answers('judge', ran);
    expect(before).toMatchObject({ id: 'good', outcome: 'valid' });
    expect(error).toMatchObject({
      id: null,
      error: { kind: 'bad-input', line: 2, message: expect.stringContaining(message) },
    });
    expect(after).toEqual(before);
    expect(ran.stderr).toContain(`1 of 3 lines could not be answered; ${message}`);
  });

  it('keeps its id if that can be read', async () => {
    const ran = await run('solve', '{"id": "mine", "size": 2}\n{"id": 7, "size": 3}\n');
    expect(answers('solve', ran)).toMatchObject([
      { id: 'mine', error: { field: 'size', found: '2' } },
      { id: null, error: { field: 'id', found: '7' } },
    ]);
    expect(ran.stderr).toMatch(/^2 of 2 lines could not be answered; the first is line 1: size: /);
  });

  it('may be of any length', async () => {
    const long = `{"id": "${'x'.repeat(longestLine)}"}\n`;
    const ran = await run('judge', [good, long, good]);
    expect(answers('judge', ran)).toMatchObject([
      { id: 'good' },
      { id: null, error: { line: 2, found: `${long.length - 1} bytes`, allowed: `at most ${longestLine} bytes` } },
      { id: 'good' },
    ]);
  });

  it('may contain bytes that are not text, and control characters', async () => {
    const steering = '{"id": "\u202e", "size": 0}\n';
    const ran = await run('judge', [Buffer.from([0xff, 0xfe, 0x0a]), good, steering]);
    expect(answers('judge', ran)).toMatchObject([
      { error: { line: 1, found: 'bytes that are not UTF-8' } },
      { id: 'good' },
      { id: '\u202e', error: { line: 3 } },
    ]);
    expect(ran.stdout).not.toContain('\u202e');
  });

  it('is ignored silently only with --quiet', async () => {
    expect(await run('judge', 'nonsense\n', '--quiet')).toMatchObject({ code: 1, stderr: '' });
  });
});

describe('the input', () => {
  const plan = ['RRDD', 'UU'];

  it('may hold blank lines, which are counted and not answered', async () => {
    const ran = await run('judge', `\n  \r\n${line(crossing, { plan })}\n\nnonsense`);
    expect(answers('judge', ran)).toMatchObject([{ outcome: 'valid' }, { error: { line: 6 } }]);
  });

  it('may begin with a byte order mark, end lines as Windows does, and end without a line break', async () => {
    const one = line(crossing, { plan }).trim();
    const ran = await run('judge', `\ufeff${one}\r\n${one}\r\n${one}`);
    expect(answers('judge', ran)).toHaveLength(3);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(await run('judge', '\ufeff\r\n')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('may be empty', async () => {
    expect(await run('solve', '')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('may come in any pieces, with invalid lines anywhere: each line has one answer, in order', async () => {
    const good = fc.nat(99).map((i) => line({ ...crossing, id: `${i}` }, { plan }));
    const bad = fc.oneof(fc.string({ unit: 'binary' }), fc.json()).map((text) => `${text.replaceAll('\n', ' ')}\n`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(good, bad)),
        fc.array(fc.integer({ min: 1, max: 90 })),
        async (texts, cuts) => {
          const bytes = Buffer.from(texts.join(''));
          const found = answers('judge', await run('judge', cut(bytes, cuts)));
          const asked = texts.filter((text) => !/^\ufeff?[ \t\r]*\n$/.test(text));
          expect(found).toHaveLength(asked.length);
          const ids = asked.map((text) => /^\{"id":"(\d+)","size"/.exec(text)?.[1] ?? null);
          expect(found.map(({ id, error }) => (error === undefined ? id : null))).toEqual(ids);
        },
      ),
      { numRuns: tries(50) },
    );
  });

  it('is an error if it names a missing file', async () => {
    const ran = await icecore(['lake', 'solve', 'missing.ndjson'], { cwd: temporaryFolder() });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('there is no such file') });
  });
});

function* cut(bytes: Buffer, lengths: readonly number[]): Generator<Uint8Array> {
  let from = 0;
  for (const length of lengths) {
    yield bytes.subarray(from, from + length);
    from += length;
  }
  yield bytes.subarray(from);
}

describe('--jobs', () => {
  it.each<Verb>(['solve', 'judge'])('changes nothing about what %s answers', async (verb) => {
    // Enough lines to start threads in the middle.
    const input = [...randomLines(6000, 'jobs'), 'nonsense\n', ...randomLines(50, 'more jobs')].join('');
    const alone = await run(verb, input, '--jobs', '1');
    expect(answers(verb, alone)).toHaveLength(6051);
    // More than the default effort is only spent in threads.
    for (const options of [
      ['--jobs', '2'],
      ['--jobs', '3', '--effort', String(defaultEffort + 1)],
    ]) {
      expect(await run(verb, input, ...options)).toEqual(alone);
    }
  });
});

describe('--effort', () => {
  it.each<Verb>(['solve', 'judge'])('has its default in the help of %s', async (verb) => {
    const { stdout } = await icecore(['lake', verb, '--help'], { cwd: temporaryFolder() });
    const shown = /--effort.*\(default: ([0-9_]+)\)/.exec(stdout)?.[1] ?? '';
    expect(Number(shown.replaceAll('_', ''))).toBe(defaultEffort);
  });
});

describe('an invalid command line', () => {
  it.each<[string[], string]>([
    [['judge', '--jobs', '0'], '--jobs: found "0", allowed: a whole number from 1 to 256'],
    [['judge', '--jobs', 'all'], '--jobs: found "all", allowed: a whole number from 1 to 256'],
    [['solve', '--effort', '1e-6'], '--effort: found "1e-6", allowed: a whole number from 1'],
    [
      ['solve', '--effrt', '1'],
      "lake solve: unknown option '--effrt'\n  Did you mean --effort? icecore lake solve --help",
    ],
    [['sovle'], 'there is no command "lake sovle"\n  Did you mean icecore lake solve?'],
    [['zzzzz'], 'there is no command "lake zzzzz"\n  icecore lake --help lists the commands.'],
    [['--quiet'], 'lake: found no command, allowed: '],
    [['--jsn'], 'there is no option "--jsn" before a command\n  Did you mean --json?'],
  ])('%j', async (argv, said) => {
    const ran = await icecore(['lake', ...argv], { cwd: temporaryFolder() });
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  });
});
