import { describe, expect, it } from 'vitest';
import { note } from '../document/index.ts';
import { ownWords } from '../library/plugins/commands.ts';
import { argument, defineCommand, definePlugin, option, type Plugin, values } from '../library/plugins/index.ts';
import { ownCommands } from './registry.ts';
import { icecore, json, temporaryFolder } from './testing/harness.ts';

const greet = defineCommand({
  notes: 'Says hello to somebody.',
  examples: [['icecore acme greet Ada', 'Greet Ada']],
  args: {
    who: argument('<who>', 'whom to greet', {
      parse: (typed: string) => typed,
      complete: () => [{ value: 'Ada', about: 'Lovelace' }],
    }),
  },
  options: { times: option('--times <n>', 'how often', values.integer(1, 9), { default: '1' }) },
  run: async ({ flags, print, printJson, workspace }, { who }, { times }) => {
    if (flags.json)
      await printJson({ who, times, runs: (await workspace.runs().catch(() => ({ rows: [] }))).rows.length });
    else await print({ title: `Hello ${who}`, blocks: [note(`${times} times`)], sections: [] });
    return 0;
  },
});

const entry = { name: 'acme greet', summary: 'Greet somebody', load: async () => greet };
const acme = definePlugin({
  name: 'acme',
  commands: [entry],
  commandHelp: { acme: { notes: 'All of Acme.', examples: [['icecore acme greet Bob', 'Greet Bob']] } },
});

function typed(words: string, ...plugins: readonly Plugin[]) {
  return icecore(words.split(' '), { cwd: temporaryFolder(), plugins });
}

/** What is registered from untyped code. */
function rubbish(command: unknown): Plugin {
  return { name: 'acme', commands: [command] } as Plugin;
}

describe('a command of a plugin', () => {
  it('receives its arguments, its options and a workspace', async () => {
    expect((await typed('acme greet Ada', acme)).stdout).toBe('Hello Ada\n1 times\n');
    expect(json(await typed('acme greet Ada --times 3 --json', acme))).toEqual({ who: 'Ada', times: 3, runs: 0 });
    expect(await typed('acme greet', acme)).toMatchObject({ code: 2, stderr: expect.stringContaining("'who'") });
    expect(await typed('acme greet Ada --times 10', acme)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--times: found "10", allowed: a whole number from 1 to 9'),
    });
  });

  it('is listed in every help', async () => {
    expect((await typed('help all', acme)).stdout).toMatch(/^acme\n {2}acme greet +Greet somebody$/m);
    expect((await typed('acme', acme)).stdout).toContain('All of Acme.');
    expect((await typed('acme --help', acme)).stdout).toContain('icecore acme greet Bob');
    expect((await typed('help acme greet', acme)).stdout).toContain('Says hello to somebody.');
  });

  it('is completed', async () => {
    const offered = async (words: string) => (await typed(`__complete -- ${words}`, acme)).stdout;
    expect(await offered('ac')).toBe('acme\tgreet\n');
    expect(await offered('acme g')).toBe('greet\tGreet somebody\n');
    expect(await offered('acme greet A')).toBe('Ada\tLovelace\n');
    expect(await offered('acme greet --ti')).toBe('--times\thow often (default: 1)\n');
  });

  it('is suggested for a misspelled word', async () => {
    expect((await typed('acmee', acme)).stderr).toContain('Did you mean icecore acme?');
    expect((await typed('acme gret', acme)).stderr).toContain('Did you mean icecore acme greet?');
  });

  it('does not exist without the plugin', async () => {
    expect(await typed('acme greet Ada')).toMatchObject({ code: 2 });
  });
});

describe('an invalid command of a plugin', () => {
  it.each([
    ['no fields', null, 'commands[0].name: found undefined'],
    ['one word', { ...entry, name: 'greet' }, 'commands[0].name: found "greet", allowed: two words'],
    ['three words', { ...entry, name: 'acme greet loudly' }, 'commands[0].name'],
    ['an option in its name', { ...entry, name: 'acme --greet' }, 'commands[0].name'],
    [
      'a word of icecore',
      { ...entry, name: 'run greet' },
      'commands[0].name: found "run greet", allowed: a first word that icecore does not use',
    ],
    ['no summary', { ...entry, summary: undefined }, 'commands[0].summary: found undefined, allowed: a text'],
    ['a number for a group', { ...entry, group: 7 }, 'commands[0].group: found number, allowed: a text'],
    ['no load', { ...entry, load: greet }, 'commands[0].load: found object, allowed: a function'],
  ])('is refused if it has %s', async (_, command, message) => {
    const ran = await typed('runs', rubbish(command));
    expect(ran.stderr).toContain(`icecore: the plugin acme, ${message}`);
    expect(ran.code).toBe(1);
  });

  it('is refused if its name is taken', async () => {
    expect((await typed('runs', { name: 'acme', commands: [entry, entry] })).stderr).toContain(
      'command "acme greet": the plugin acme has two of that name',
    );
    const other = { name: 'other', commands: [{ ...entry, name: 'acme leave' }] };
    expect((await typed('runs', acme, other)).stderr).toContain(
      'first word of commands "acme": the plugins acme and other both have it',
    );
  });

  it.each([
    ['nothing', async () => undefined, 'load: run: found undefined, allowed: a command, made by defineCommand'],
    ['no examples', async () => ({ ...greet, examples: undefined }), 'load: examples: found undefined'],
    ['an error', () => Promise.reject(new TypeError('oh')), 'load threw TypeError: oh'],
  ])('is named in the error if it loads %s', async (_, load, message) => {
    const ran = await typed('acme greet Ada', rubbish({ ...entry, load }));
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the command acme greet of the plugin acme: ${message}`),
    });
  });

  it.each([
    ['throws', () => Promise.reject(new TypeError('oh')), 'run threw TypeError: oh'],
    [
      'returns nothing',
      async () => undefined,
      'run: exit code: found undefined, allowed: a whole number from 0 to 255',
    ],
    ['returns a text', async () => 'done', 'run: exit code: found done'],
  ])('is named in the error if it %s', async (_, run, message) => {
    const ran = await typed('acme greet Ada', rubbish({ ...entry, load: async () => ({ ...greet, run }) }));
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the command acme greet of the plugin acme: ${message}`),
    });
  });
});

it("the reserved first words are those of icecore's commands", () => {
  const words = new Set(ownCommands.map(({ name }) => name.split(' ')[0]));
  expect([...ownWords].sort()).toEqual([...words, 'help'].sort());
});
