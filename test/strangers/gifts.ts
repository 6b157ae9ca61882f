// Input from an attacker: a folder, a ledger, a bundle and a settings file, made with icecore itself and then manipulated, surrounded by
// files that must not be read or changed.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Gift } from './verbs.ts';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin/icecore.cjs');

/** Leaks are detected by this word. */
export const canary = 'CANARY';
const secretNames = [
  ['OPENAI_API_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'GITHUB_TOKEN', 'HF_TOKEN'],
  ['ICECORE_EVENTSTORE_USER', 'ICECORE_EVENTSTORE_PASSWORD', 'DATABASE_URL'],
].flat();
const secretFiles = ['.ssh/id_ed25519', '.aws/credentials', '.netrc', '.npmrc', '.config/other/token'];

const runs = ['evil', 'open', 'shared', 'person', 'byhand'];

/** Made once for all sandboxes. */
export class Stranger {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-stranger-')));
  readonly program: string = join(this.folder, 'program.mjs');
  /** Where the program records that it was started. */
  readonly record: string = join(this.folder, 'ran');
  /** The target of the links in the gifts, which must not be read or changed. */
  readonly outside: string = join(this.folder, 'outside');
  /** An event with a text that contains control characters. */
  readonly event: string;
  readonly #work: string = join(this.folder, 'work');
  readonly #importer: string = join(this.folder, 'importer');

  constructor() {
    cpSync(new URL('program.mjs', import.meta.url), this.program);
    mkdirSync(join(this.outside, 'inside'), { recursive: true });
    for (const name of ['secret', 'victim']) writeFileSync(join(this.outside, name), `${canary} ${name}\n`);
    mkdirSync(this.#work);
    this.#record('evil', 'trainer');
    this.#record('open', 'trainer once');
    this.#record('shared', 'trainer once', '--shards', '2');
    this.#recordByHand('person', 'human');
    this.#recordByHand('byhand', this.#part('engineer'));
    const noted = this.#icecore('annotate', 'evil', 'see \u001b]0;owned\u0007 and \u202e', '--json');
    this.event = String((JSON.parse(noted) as { readonly event: unknown }).event);
    for (const run of runs) this.#icecore('export', 'bundle', run);
    mkdirSync(this.#importer);
    for (const run of runs) this.#icecoreIn(this.#importer, 'import', 'bundle', this.bundleOf(run));
    writeFileSync(this.record, '');
  }

  /** Programs that were started in a folder: one line each, with the secrets they saw. */
  startedIn(folder: string): readonly string[] {
    const lines = readFileSync(this.record, 'utf8').split('\n');
    return lines.filter((text) => text.startsWith(`${folder}/`));
  }

  /** The content outside, for comparison. */
  outsideNow(): Readonly<Record<string, string>> {
    const names = readdirSync(this.outside, { recursive: true, encoding: 'utf8' }).sort();
    return Object.fromEntries(names.map((name) => [name, contentOf(join(this.outside, name))]));
  }

  get workspace(): string {
    return join(this.#work, '.icecore');
  }

  /** The workspace into which the bundles were imported. */
  get importedWorkspace(): string {
    return join(this.#importer, '.icecore');
  }

  bundleOf(run: string): string {
    return join(this.#work, `${run}.icecore.tar.zst`);
  }

  /** Tables with a view of a file outside. */
  async forgeTables(): Promise<void> {
    this.#icecore('sql', 'select 1');
    const tables = join(this.workspace, 'ledger.tables');
    const [file = ''] = readdirSync(tables).filter((name) => name.endsWith('.duckdb'));
    const instance = await DuckDBInstance.create(join(tables, file));
    const connection = await instance.connect();
    await connection.run(`create view secrets as select * from read_text('${join(this.outside, 'secret')}')`);
    connection.closeSync();
    instance.closeSync();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A trainer that fails `once` stops the run in the second stage, so that it can be resumed. */
  #record(name: string, trainer: string, ...more: readonly string[]): void {
    const programs = ['--trainer', this.#part(trainer), '--engineer', this.#part('engineer')];
    this.#icecore('run', '--name', name, ...programs, ...this.#settings, '--context', 'stats', '--jobs', '1', ...more);
  }

  /** Trained by hand: either a person has to decide next, or the first stage is open. */
  #recordByHand(name: string, engineer: string): void {
    this.#icecore('stage', 'start', name, '--engineer', engineer, ...this.#settings);
    if (engineer === 'human') this.#icecore('stage', 'finish', name, '--checkpoint', this.program);
  }

  get #settings(): readonly string[] {
    return ['--environment', this.#part('environment'), '--stages', '2', '--budget', '100', '--suite', 'none'];
  }

  #part(words: string): string {
    return `${process.execPath} ${this.program} ${words}`;
  }

  #icecore(...words: readonly string[]): string {
    return this.#icecoreIn(this.#work, ...words);
  }

  #icecoreIn(cwd: string, ...words: readonly string[]): string {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: join(this.folder, 'account'), NODE_COMPILE_CACHE: compileCache };
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], { cwd, env, encoding: 'utf8' });
    const isMeant = status === 0 || words.includes(this.#part('trainer once'));
    if (!isMeant) throw new Error(`icecore ${words.join(' ')}: exit ${status}: ${stderr}`);
    return stdout;
  }
}

/** A reserved documentation address. */
const elsewhere = '192.0.2.1:8000';

export const compileCache: string = join(tmpdir(), 'node-compile-cache');

/** One gift in the hands of a user: an account with secrets, and a listening host. */
export class Sandbox {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-sandbox-')));
  readonly account: string = join(this.folder, 'account');
  readonly settings: string = join(this.account, '.config/icecore');
  readonly work: string = join(this.folder, 'work');
  readonly out: string = join(this.folder, 'out');
  readonly temp: string = join(this.folder, 'temp');
  readonly gift: string = join(this.folder, 'gift');
  readonly #stranger: Stranger;
  readonly #server: Server;
  readonly #heard: Buffer[] = [];

  private constructor(stranger: Stranger, server: Server) {
    this.#stranger = stranger;
    this.#server = server;
    for (const folder of [this.account, this.work, this.out, this.temp, this.gift]) mkdirSync(folder);
    for (const file of secretFiles) {
      mkdirSync(join(this.account, file, '..'), { recursive: true });
      writeFileSync(join(this.account, file), `${canary} ${file}\n`);
    }
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        this.#heard.push(Buffer.from(chunk));
        socket.destroy();
      });
    });
  }

  static async open(stranger: Stranger, gift: Gift): Promise<Sandbox> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const sandbox = new Sandbox(stranger, server);
    sandbox.#receive(gift);
    return sandbox;
  }

  get host(): string {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  }

  /** What was sent to the host. */
  heard(): string {
    return Buffer.concat(this.#heard).toString('latin1');
  }

  get env(): Readonly<Record<string, string>> {
    const secrets = Object.fromEntries(secretNames.map((name) => [name, `${canary}-${name}`]));
    const { PATH = '' } = process.env;
    return { PATH, HOME: this.account, TMPDIR: this.temp, NODE_COMPILE_CACHE: compileCache, ...secrets };
  }

  get ledger(): string {
    return join(this.gift, '.icecore/ledger.db');
  }

  async close(): Promise<void> {
    await new Promise((closed) => this.#server.close(closed));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The words of a line with the values of this sandbox. */
  filled(word: string): string {
    return word
      .replace('OUTSIDE', this.#stranger.outside)
      .replace(/^OUT\//, `${this.out}/`)
      .replace('HOST', this.host)
      .replace(/^FILE$/, join(this.out, 'file'))
      .replace(/^CONFIG$/, join(this.out, 'config.json'))
      .replace(/^EVENT$/, this.#stranger.event)
      .replace(/^BUNDLE$/, this.#stranger.bundleOf('evil'))
      .replace(/^LEDGER$/, `sqlite:${this.ledger}`)
      .replace(/^COPY$/, `sqlite:${join(this.out, 'copy.db')}`);
  }

  #receive(gift: Gift): void {
    writeFileSync(join(this.out, 'file'), 'bytes');
    writeFileSync(join(this.out, 'config.json'), '{"digits": 5}');
    cpSync(this.#stranger.workspace, join(this.gift, '.icecore'), { recursive: true, verbatimSymlinks: true });
    const receive = {
      folder: () => this.#receiveFolder(),
      ledger: () => {},
      bundle: () => cpSync(this.#stranger.importedWorkspace, join(this.work, '.icecore'), { recursive: true }),
      'settings with hosts elsewhere': () => this.#receiveSettings(`sqlite:${this.ledger}`, elsewhere),
      'settings with a ledger elsewhere': () => this.#receiveSettings(`esdb://${elsewhere}?tls=false`, elsewhere),
      'settings with hosts on this machine': () => this.#receiveSettings(`sqlite:${this.ledger}`, this.host),
    };
    receive[gift]();
  }

  /** A workspace whose links lead outside. */
  #receiveFolder(): void {
    const workspace = join(this.work, '.icecore');
    cpSync(this.#stranger.workspace, workspace, { recursive: true, verbatimSymlinks: true });
    const links = [
      ['.gitignore', 'victim'],
      ['runs', 'inside'],
      ['ledger.blobs/incoming', 'inside'],
      ['ledger.db.verify.json', 'victim'],
      ['ledger.tables/tables-000001.duckdb.at', 'victim'],
    ] as const;
    for (const [name, target] of links) {
      rmSync(join(workspace, name), { recursive: true, force: true });
      symlinkSync(join(this.#stranger.outside, target), join(workspace, name));
    }
  }

  #receiveSettings(ledger: string, host: string): void {
    const blobs = `s3://bucket/blobs?endpoint=http://${host}`;
    const models = { stranger: { url: `http://${host}/v1`, model: 'm', key: 'OPENAI_API_KEY' } };
    writeFileSync(join(this.work, 'icecore.config.json'), JSON.stringify({ ledger, blobs, models }));
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '(a folder)';
  }
}
