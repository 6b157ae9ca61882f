// An icecore.config with code, as a person writes one: what it registers, its errors, and when it runs.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inFolder, json, type Ran, shell, temporaryFolder } from './testing/harness.ts';

interface Project {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  icecore(line: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
}

/** A folder with these settings, and a user who has allowed nothing yet. */
function project(text: string, name = 'icecore.config.ts'): Project {
  const root = temporaryFolder();
  const folder = join(root, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, name), text);
  const env = { XDG_CONFIG_HOME: join(root, 'user') };
  return { folder, env, icecore: (line, more = {}) => shell(`icecore ${line}`, folder, { ...env, ...more }) };
}

const everything = { ICECORE_TRUST: '*' };

const acme = `
import { defineConfig } from 'icecore';
import { defineEngineer, definePlugin } from 'icecore/plugins';

const steady = defineEngineer({
  name: 'steady',
  summary: 'changes nothing',
  propose: ({ current }) => ({ configuration: current }),
});

export default defineConfig(async () => ({
  ledger: 'sqlite:data/ledger.db',
  plugins: [definePlugin({ name: 'acme', engineers: [steady] })],
  defaults: { engineer: 'steady', stages: 2, seed: 7 },
}));
`;

describe('an icecore.config.ts', () => {
  it('registers plugins, and sets defaults for runs', async () => {
    const { folder, env, icecore } = project(acme);
    mkdirSync(join(folder, 'below'));
    const small = { budget: { 'agent-steps': 2000 }, validation: 4, perCell: 1, samples: 1, trained: 0, suites: [] };
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...small, seed: 9 }));
    const ran = await icecore('run --name mine --file run.json --jobs 1 --json', everything);
    expect(ran).toMatchObject({ code: 0 });
    const shown = await shell('icecore show mine --json', join(folder, 'below'), env);
    expect(json(shown)).toMatchObject({ engineer: 'steady', done: 2, asked: { seed: 9 } });
    expect(await icecore('run --name other --file run.json --jobs 1 --stages 1 --json', everything)).toMatchObject({
      code: 0,
    });
    expect(json(await icecore('show other --json'))).toMatchObject({ engineer: 'steady', done: 1 });
  }, 120_000);

  it('works as docs/plugins.md shows', async () => {
    const page = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8');
    const blocks = Array.from(page.matchAll(/```ts\n(.*?)```/gs), ([, code = '']) => code);
    const { folder, icecore } = project(blocks.find((code) => code.includes('defineConfig(')) ?? '');
    writeFileSync(join(folder, 'parity.ts'), blocks.find((code) => code.includes('export const parity')) ?? '');
    // For zod, which the environment is written with.
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
    expect(await icecore('trust --yes')).toMatchObject({ code: 0 });
    const environments = await icecore('list environments');
    expect(environments.stdout).toMatch(/^parity +acme \(icecore\.config\.ts\) +is a number even or odd\?/m);
    expect((await icecore('list engineers')).stdout).toMatch(
      /^steady +acme \(icecore\.config\.ts\) +changes nothing$/m,
    );
  });

  it('can import every module of the package, even if icecore is not installed next to it', async () => {
    const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    // The contract suites need vitest, and these are no modules.
    const left = ['./testing', './schemas/json/*', './package.json'];
    const modules = Object.keys(exports).filter((name) => !left.includes(name));
    const imports = modules.map((name) => `import 'icecore${name.slice(1)}';`).join('\n');
    const { icecore } = project(`${imports}\nexport default {};`);
    expect(await icecore('trust --yes')).toMatchObject({ code: 0 });
  });

  it('adds commands once it is trusted', async () => {
    const { icecore } = project(`
      import { defineCommand, definePlugin } from 'icecore/plugins';
      const hello = defineCommand({ examples: [], run: async ({ print }) => (await print('hello'), 0) });
      export default { plugins: [definePlugin({
        name: 'acme',
        commands: [{ name: 'acme hello', summary: 'Say hello', load: async () => hello }],
      })] };`);
    expect(await icecore('acme hello')).toMatchObject({ code: 2, stderr: expect.stringContaining('acme') });
    expect(await icecore('acme hello', everything)).toMatchObject({ code: 0, stdout: 'hello' });
  });

  it('is listed as the source of its engineers once it is trusted', async () => {
    const { icecore } = project(acme);
    const before = await icecore('list engineers');
    expect(before.stdout).not.toContain('steady');
    expect(before.stderr).toMatch(/^Plugins of the settings file are not listed: .*icecore\.config\.ts runs its code/);
    const listed = await icecore('list engineers --json', everything);
    expect(json(listed)['rows']).toContainEqual(
      expect.objectContaining({ name: 'steady', from: 'acme (icecore.config.ts)' }),
    );
  });

  it('runs when it is trusted, and read-only commands use its settings until it changes', async () => {
    const { folder, icecore } = project(acme);
    const ledger = `sqlite:${join(folder, 'data/ledger.db')}`;
    const unknown = await icecore('runs');
    expect(unknown.stderr).toContain(`${join(folder, 'icecore.config.ts')} is ignored`);
    expect(unknown.stderr).toContain(`no ledger at sqlite:${join(folder, '.icecore/ledger.db')}`);
    const trusted = await icecore('trust --yes');
    expect(trusted.stderr).toContain('runs its code, with your permissions');
    expect(trusted.stderr).toContain('registers the plugins acme');
    expect((await icecore('runs')).stderr).toContain(`no ledger at ${ledger}`);
    expect(json(await icecore('init --json'))).toMatchObject({ ledger });
    expect(await icecore('runs')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^no runs yet in sqlite:/) });
    writeFileSync(join(folder, 'icecore.config.ts'), `${acme}// changed\n`);
    expect((await icecore('runs')).stderr).toContain('is ignored');
    expect(await icecore('annotate latest note')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('runs its code'),
    });
  });

  it('needs further consent to the hosts in its settings', async () => {
    const { icecore } = project(
      `export default { models: { gpt: { url: 'http://10.0.0.9/v1', model: 'm', key: 'HF_TOKEN' } } };`,
    );
    expect(await icecore('trust --yes')).toMatchObject({ code: 0 });
    expect((await icecore('doctor')).stdout).toContain('(models.gpt) sends HF_TOKEN to 10.0.0.9');
    const again = await icecore('trust --yes');
    expect(again.stderr).toContain('sends HF_TOKEN to 10.0.0.9/v1 without TLS');
    expect((await icecore('doctor')).stdout).not.toContain('not asked');
  });

  it('needs further consent to the programs in its defaults', async () => {
    const { folder, icecore } = project(
      `export default { defaults: { engineer: ['sh', '-c', 'touch canary; exit 1'] } };`,
    );
    await icecore('trust --yes');
    const ran = await icecore('run --stages 1');
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('icecore.config.ts names a program that you have not allowed'),
    });
    expect(ran.stderr).toContain('engineer: sh -c');
    expect(() => readFileSync(join(folder, 'canary'))).toThrow();
  });

  it('is ignored with --no-config', async () => {
    const { folder, icecore } = project('throw new Error("looked at")');
    for (const line of ['runs --no-config', '--no-config runs', 'init --no-config --json']) {
      const ran = await icecore(line, everything);
      expect(ran.stdout + ran.stderr).toContain(join(folder, '.icecore'));
      expect(ran.stderr).not.toContain('icecore.config.ts');
    }
    rmSync(join(folder, 'icecore.config.ts'));
    writeFileSync(join(folder, 'icecore.config.json'), '{"ledger": "sqlite:elsewhere.db"}');
    expect((await icecore('event tail')).stderr).toContain('elsewhere.db');
    expect(await icecore('event tail --no-config')).toMatchObject({ code: 0 });
    expect(await icecore('init --no-config --ledger sqlite:x.db')).toMatchObject({ code: 2 });
  });

  it('must be the only settings file in its folder', async () => {
    const { folder, icecore } = project('{}', 'icecore.config.json');
    writeFileSync(join(folder, 'icecore.config.mjs'), 'export default {};');
    const ran = await icecore('runs');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(join(folder, 'icecore.config.mjs'));
    expect(ran.stderr).toContain(join(folder, 'icecore.config.json'));
  });

  it('is not changed by icecore init', async () => {
    const { icecore } = project('export default {};');
    const ran = await icecore('init --ledger sqlite:x.db', everything);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is code, which init does not write') });
  });

  it.each(['icecore.config.mts', 'icecore.config.js', 'icecore.config.mjs'])('may be called %s', async (name) => {
    const { folder, icecore } = project(`export default { ledger: 'sqlite:own.db' };`, name);
    expect(json(await icecore('init --json', everything))).toMatchObject({
      ledger: `sqlite:${join(folder, 'own.db')}`,
    });
  });
});

describe('invalid settings code', () => {
  const plugin = (text: string): string => `export default { plugins: [${text}] };`;

  it.each([
    ['a syntax error', 'const x: number = 1;\nexport default { x ;', ', line 2: found Expected'],
    ['TypeScript that is more than types', 'export default {};\nenum A { B }', ', line 2: found TypeScript enum'],
    ['no default export', 'export const ledger = 1;', ', default: found no default export'],
    ['a default export of another shape', 'export default 5;', ': found 5, allowed: an object'],
    ['a list', 'export default [];', ': found a list, allowed: an object'],
    ['a function that returns nothing', 'export default () => {};', ', default: found no default export'],
    ['a function in place of a setting', 'export default { ledger: () => 1 };', ', ledger: found'],
    ['an unknown setting', 'export default { plugin: [] };', 'Did you mean "plugins"?'],
    [
      'an import of a missing package',
      `import 'nowhere'; export default {};`,
      ", import: found Cannot find package 'nowhere'",
    ],
    ['an import of a missing file', `import './no.ts'; export default {};`, ', import: found Cannot find module'],
    ['an error while it runs', 'throw new TypeError("boom");', ': found code that throws TypeError: boom'],
    [
      'a function that throws',
      'export default () => { throw new Error("boom") };',
      ': found code that throws Error: boom',
    ],
    ['a thrown value that is not an error', 'throw null;', ': found code that throws'],
    ['plugins that are no list', 'export default { plugins: {} };', ', plugins: found'],
    ['a plugin that is a function', plugin('() => {}'), ', plugins[0]: found'],
    ['a plugin without a name', plugin('{}'), ', plugins[0].name: found nothing'],
    ['a plugin with a bad name', plugin('{ name: "a b" }'), 'found "a b"'],
    [
      'an engineer without an open function',
      plugin('{ name: "acme", engineers: [{ name: "x" }] }'),
      ', plugins[0].engineers[0].open: found undefined',
    ],
    [
      'an environment name that is taken',
      plugin('{ name: "acme", environments: [{ name: "lake", open() {} }] }'),
      ', plugins[0]: found environment "lake"',
    ],
    [
      'an engineer name that is taken',
      plugin('{ name: "acme", engineers: [{ name: "rules", open() {} }] }'),
      ', plugins[0].engineers[0].name: found rules',
    ],
    ['a bad default', 'export default { defaults: { stages: 0 } };', ', defaults.stages: found 0'],
    ['an unknown default', 'export default { defaults: { stage: 1 } };', ', defaults.stage: found an unknown key'],
  ])('is reported with its file and field, and registers nothing: %s', async (_, text, message) => {
    const { folder, env } = project(text);
    // In this process: two more for each case would take most of the time, and the next test has one.
    const icecore = inFolder(folder, { env });
    const ran = await inFolder(folder, { env: { ...env, ...everything } })('run', '--json');
    expect(ran.code).toBe(2);
    const { error } = json(ran) as { error: { kind: string; message: string; remedy: string } };
    expect(error.kind).toBe('usage');
    expect(error.message + error.remedy).toContain(message);
    expect(error.message.startsWith(join(folder, 'icecore.config.ts'))).toBe(true);
    // What the file says is not known from a run that failed.
    expect((await icecore('runs')).stderr).toContain('is ignored');
  });

  it('is reported with the imported file and the line', async () => {
    const { folder, icecore } = project(`import './other.ts'; export default {};`);
    writeFileSync(join(folder, 'other.ts'), 'export const x = ;');
    expect((await icecore('run', everything)).stderr).toContain(`, line 1 in ${join(folder, 'other.ts')}`);
  });
});
