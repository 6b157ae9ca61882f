// The npm package, installed in a separate folder: its content, its message on an old Node, its commands on a new one, and what programs can
// import.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oldNode, pinnedNode, pinnedPackage, root } from '../tools/nodes.ts';

const EXPECTED = [
  /^(package\.json|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|LICENSE)$/,
  /^bin\/(icecore|pinned)\.cjs$/,
  /^schemas\/json\/.+\.json$/,
  /^docs\/(lake\/)?[a-z-]+\.(svg|txt)$/,
  /^docs\/report\/[a-z-]+\.png$/,
  /^(docs\/.+\.md|examples\/.+\.(py|md|sh|ts))$/,
  /^examples\/notebooks\/[a-z]+\.(ipynb|mjs)$/,
  /^examples\/qwen\/[a-z.-]+\.json$/,
  /^examples\/trainers\/requirements\.txt$/,
  /^dist\/page\/.+\.(html|js|css|svg)$/,
  /^docs\/page\/run-light\.png$/,
  /^dist\/(src|schemas|testbed|web)\/.+\.(js|js\.map|d\.ts|sql|txt|md)$/,
];
/** The contract suites for plugins are included, and no other tests. */
const UNWANTED = /\.test\.|(?<!dist\/schemas)\/testing\/|\/golden\/|(?<!src\/library|src\/lab\/[a-z]+)\/contract\//;

const guides = readdirSync(join(root, 'docs'), { withFileTypes: true }).flatMap((entry) =>
  entry.isFile() ? [`docs/${entry.name}`] : [],
);

const temp = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-package-')));
const consumer = join(temp, 'a consumer');
const installed = join(consumer, 'node_modules/icecore');
const command = join(installed, 'bin/icecore.cjs');
const packageOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { version } = packageOf(root);
beforeAll(() => {
  const tarball = packed(sourceCopy());
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), '{"private":true,"type":"module"}');
  npm(['install', '--prefer-offline', '--ignore-scripts', tarball], consumer);
}, 240_000);
afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('the package', () => {
  it('contains the built files and the documentation, and nothing else', () => {
    const files = globSync('**/*', { cwd: installed, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
    const strangers = names.filter((name) => UNWANTED.test(name) || !EXPECTED.some((pattern) => pattern.test(name)));
    expect(strangers).toEqual([]);
    expect(names).toContain('dist/src/cli/main.js');
  });

  it.each(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...guides])(
    'contains the link targets of %s, as a clone does',
    (name) => {
      for (const folder of [installed, root]) {
        const links = linksIn(readFileSync(join(folder, name), 'utf8'));
        expect(links.filter((link) => !existsSync(join(folder, dirname(name), link)))).toEqual([]);
      }
    },
  );

  it('and the pinned Node have the names in the README', () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8').replace(/\s+/g, ' ');
    expect(readme.match(/icecore-[\d.]+\.tgz/g)).toEqual([`icecore-${version}.tgz`, `icecore-${version}.tgz`]);
    const { PACKAGES, VERSION } = createRequire(import.meta.url)('../bin/pinned.cjs');
    expect(readme).toContain(`npm install ${PACKAGES['linux-x64']}@${VERSION}`);
  });

  it('declares the Node it needs, and pins none', () => {
    const { engines, dependencies, optionalDependencies } = packageOf(installed);
    expect(engines.node).toBe('>=24');
    expect(optionalDependencies).toBeUndefined();
    expect(Object.keys(dependencies)).not.toContain(pinnedPackage().name);
    expect(existsSync(join(consumer, 'node_modules', pinnedPackage().name))).toBe(false);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

describe('on a Node that is too old, the command', () => {
  it('names this Node, the required one, and what to type', () => {
    const old = oldNode();
    const [oldVersion, name] = [run(old, '--version').stdout.trim(), pinnedPackage()];
    const said = `icecore: this is Node ${oldVersion} (${old}), and icecore needs Node 24 or later; run: `;
    const line = `npx -y -p ${name.name}@${name.version} node '${command}' runs --json\n`;
    expect(run(old, command, 'runs', '--json')).toEqual({ status: 2, stdout: '', stderr: said + line });
  });

  it('knows every pinned Node of a clone', () => {
    const known = createRequire(import.meta.url)('../bin/pinned.cjs');
    const { optionalDependencies } = packageOf(join(root, 'tools/node'));
    const names: string[] = Object.values(known.PACKAGES);
    expect(Object.fromEntries(names.map((name) => [name, known.VERSION]))).toEqual(optionalDependencies);
  });
});

describe('on a Node that is new enough, the command', () => {
  it('says its version', () => {
    expect(run(pinnedNode, command, '--version')).toEqual({ status: 0, stdout: `icecore ${version}\n`, stderr: '' });
  });

  it('prints help', () => {
    const { status, stdout, stderr } = run(pinnedNode, command, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/\brun\b.*\bsql\b/s);
  });

  it('creates a ledger, appends to it and reads it', () => {
    const folder = join(temp, 'experiment');
    mkdirSync(folder);
    const event = {
      id: '018f6f4e-7c1a-8000-8000-000000000001',
      type: 'RunAnnotated',
      version: 1,
      at: '2030-01-01T00:00:00Z',
      actor: 'human/ada',
      run: 'first',
      stage: null,
      causes: [],
      data: { note: 'it begins' },
    };
    writeFileSync(join(folder, 'events.ndjson'), `${JSON.stringify({ stream: 'notes-first', ...event })}\n`);
    for (const args of [['init'], ['event', 'append', 'events.ndjson']])
      expect(inFolder(folder, args)).toMatchObject({ status: 0 });
    const { stdout } = inFolder(folder, ['event', 'tail', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ...event, stream: 'notes-first', revision: 0 });
  });
});

describe('its threads', () => {
  it('are found in the built package', () => {
    const made = inFolder(temp, ['lake', 'generate', '--count', '40', '--jobs', '2']);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    writeFileSync(join(temp, 'lakes.ndjson'), made.stdout);
    // With this effort every line is solved in a thread.
    const solved = inFolder(temp, ['lake', 'solve', '--jobs', '2', '--effort', '1_000_000_000', 'lakes.ndjson']);
    expect(solved).toMatchObject({ status: 0, stderr: '' });
    expect(solved.stdout.match(/"solvable":true/g)).toHaveLength(40);
  });
});

const compilers = {
  6: join(root, 'node_modules/typescript/bin/tsc'),
  7: join(root, 'node_modules/typescript7/bin/tsc'),
};

describe('a program that imports the package', () => {
  it('finds its types', () => {
    const source = [
      `import * as icecore from 'icecore';`,
      `import * as document from 'icecore/document';`,
      `import * as ledger from 'icecore/ledger';`,
      `import * as plugins from 'icecore/plugins';`,
      `import * as schemas from 'icecore/schemas';`,
      `export const names: readonly string[] = [...[icecore, document, ledger, plugins, schemas].flatMap(Object.keys)];`,
      '// @ts-expect-error: without an error here, types would be missing.',
      'icecore.nothingOfThisName;',
    ];
    writeFileSync(join(consumer, 'program.ts'), source.join('\n'));
    const typeRoots = [join(root, 'node_modules/@types')];
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      types: ['node'],
      typeRoots,
    };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const { status, stdout } = run(pinnedNode, compilers[7], '-p', consumer);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('finds the exports of the types', () => {
    const source = `import * as icecore from 'icecore'; import * as schemas from 'icecore/schemas';
      console.log(Object.keys(icecore).length > 0, Object.keys(schemas).length > 0);`;
    writeFileSync(join(consumer, 'program.js'), source);
    expect(run(pinnedNode, join(consumer, 'program.js'))).toEqual({ status: 0, stdout: 'true true\n', stderr: '' });
  });

  it('can run the example of the README', () => {
    const [, example = ''] =
      /\n## As a library\n.*?```ts\n(.*?)```/s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    const folder = join(consumer, 'example');
    mkdirSync(folder);
    writeFileSync(join(folder, 'example.mjs'), example);
    const ran = spawnSync(pinnedNode, ['example.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(ran).toMatchObject({ status: 0, stdout: 'notes-first 0\n', stderr: '' });
    const shown = JSON.parse(inFolder(folder, ['event', 'tail', '--json']).stdout);
    expect(shown).toMatchObject({ type: 'RunAnnotated', stream: 'notes-first', data: { note: 'It begins.' } });
  });

  it('runs the demo in an empty folder', () => {
    const empty = join(temp, 'empty');
    mkdirSync(empty);
    const { status, stdout, stderr } = spawnSync(pinnedNode, [command, 'demo'], { cwd: empty, encoding: 'utf8' });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('icecore');
  }, 180_000);

  it('is smaller than 7 MB, the page among it', () => {
    expect(statSync(join(temp, `icecore-${version}.tgz`)).size).toBeLessThan(7e6);
  });

  describe('the programs of docs/library.md', () => {
    const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
    const programs = [...page.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name = '', text = '']) => ({
      name,
      text,
    }));
    const folder = join(consumer, 'library');

    beforeAll(() => {
      mkdirSync(folder);
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
      for (const { name, text } of programs) writeFileSync(join(folder, name), text);
    });

    it('define an environment, a trainer and an engineer, run, query and ablate in under 100 lines', () => {
      const names = programs.map(({ name }) => name);
      expect(names).toEqual(['run.ts', 'words.ts', 'advisor.ts', 'gpu.ts', 'notebook.ts', 'watch.ts']);
      expect(programs[1]?.text.split('\n').length).toBeLessThan(100);
    });

    it.each([
      ['nodenext', 'nodenext', 6],
      ['esnext', 'bundler', 7],
    ] as const)(
      'find their types with %s modules, %s resolution and TypeScript %i',
      (module, moduleResolution, compiler) => {
        const compilerOptions = {
          ...{ strict: true, noEmit: true, module, moduleResolution, target: 'esnext', types: ['node'] },
          ...{ typeRoots: [join(root, 'node_modules/@types')], skipLibCheck: false },
        };
        const project = { compilerOptions, files: programs.map(({ name }) => name) };
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
        const { status, stdout } = run(pinnedNode, compilers[compiler], '-p', folder);
        expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
      },
    );

    it('run', async () => {
      await using model = await agreeingModel();
      const printed: Record<string, string> = {};
      for (const { name } of programs) {
        const child = spawn(pinnedNode, [name], { cwd: folder, env: { ...process.env, MODEL_URL: model.url } });
        const outcome = ended(child);
        // A service runs until it is stopped.
        if (name === 'watch.ts') {
          child.stdout.on('data', (said: Buffer) => void (said.includes('waiting') && child.kill('SIGTERM')));
        }
        const { status, stdout, stderr } = await outcome;
        expect({ name, status, stderr: status === 0 ? '' : stderr }).toEqual({ name, status: 0, stderr: '' });
        printed[name] = stdout;
      }
      expect(printed).toMatchObject({
        'run.ts': 'first completed\nit changed\n1 true\n2 true\n',
        'words.ts': expect.stringMatching(
          /^words completed\n1 0\.\d\d\n2 0\.\d\d\n3 0\.\d\d\neveryday.letters 3 4 short/,
        ),
        'advisor.ts': 'it works as it is\n',
        'gpu.ts': '0 91.5\n',
        'notebook.ts': expect.stringContaining('technical'),
        'watch.ts': expect.stringMatching(/^StageCompleted 1\nStageCompleted 2\nRunCompleted \n(.*\n)+waiting\n$/),
      });
    }, 120_000);
  });

  it('finds a JSON Schema for each event', () => {
    const resolve = createRequire(join(consumer, 'program.js')).resolve;
    const [first] = readdirSync(join(root, 'schemas/json')).filter((name) => name.endsWith('.json'));
    expect(existsSync(resolve(`icecore/schemas/json/${first}`))).toBe(true);
  });
});

describe('the lock file', () => {
  it('names no registry', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/);
  });
});

async function ended(child: ChildProcessWithoutNullStreams) {
  const [[status], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}

/** An endpoint whose model proposes the current configuration. */
async function agreeingModel() {
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as { messages: { content: string }[] };
    const [, current = '{}'] = /configured as (\{.*?\})\. What/s.exec(messages[0]?.content ?? '') ?? [];
    const proposal = { configuration: JSON.parse(current), reasons: [], rationale: 'it works as it is' };
    response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(proposal) } }] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

// Copies the current files, committed or not, so that packing does not rebuild the checkout.
function sourceCopy(): string {
  const copy = join(temp, 'source');
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''));
  cpSync(root, copy, { recursive: true, filter: (path) => ![...ignored, '.git'].includes(basename(path)) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}

function packed(folder: string): string {
  npm(['pack', '--pack-destination', temp], folder);
  return join(temp, `icecore-${version}.tgz`);
}

function npm(args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

/** The targets of a page's links within its repository. */
function linksIn(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  const all = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link.replace(/#.*$/, ''));
  return all.filter((link) => link !== '' && !/^[a-z]+:/.test(link));
}

function run(node: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function inFolder(cwd: string, args: string[]) {
  const { status, stdout, stderr } = spawnSync(pinnedNode, [command, ...args], { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}
