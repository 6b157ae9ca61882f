// A run whose evidence goes to Kafka while the broker is away: once for longer than the run waits, and twice for less. Its result is
// compared with that of an undisturbed run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Kafka } from '../../ledger/kafka/testing/broker.ts';
import type { Drawn } from '../../ledger/kafka/testing/disturbed.ts';
import { Evidence } from '../../ledger/kafka/testing/evidence.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { countInTables } from '../../projections/testing/counted.ts';
import { bare, bin } from './harness.ts';

const name = 'disturbed';
const stages = 2;

export async function evidenceStoreAway(kafka: Kafka, drawn: Drawn): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), 'icecore-away-'));
  try {
    return await awayIn(root, kafka, drawn);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function awayIn(root: string, kafka: Kafka, drawn: Drawn): Promise<readonly string[]> {
  const { own } = kafka;
  if (own === null) throw new Error('not brokers of our own');
  const folder = mkdtempSync(join(root, 'part-'));
  const decisions = `sqlite:${join(folder, 'decisions.db')}`;
  const evidence = new Evidence(kafka, 'partitions=3').url;
  const split = (patience: number): string => `split:${decisions}+${evidence}&patience=${patience}`;
  const seed = Math.floor(drawn('seed') * 1_000);
  writeRunFile(folder, seed);

  const given = new Run(folder, ['run', '--file', 'run.json', '--ledger', split(2)]);
  await given.says(/engineer rules/);
  await own.kill(0);
  const { code, stderr } = await given.ended();
  await own.restart(0);
  const faults = expected('the run that gave up', { code, stderr }, 1, [
    /store of evidence does not answer .*; waiting up to 2\.0 s for it/,
    /the evidence of the ledger: .*(?:cannot be reached|no answer came)/,
    /Continue with: .* resume disturbed/,
  ]);

  const going = new Run(folder, ['resume', name, '--json', '--ledger', split(120)]);
  for (const [before, moment] of [/resumes in stage/, /^stage 1: /].entries()) {
    await going.says(moment);
    await own.kill(0);
    await going.says(/does not answer/, before + 1);
    await own.restart(0);
    await going.says(/is back/, before + 1);
  }
  const done = await going.ended();
  faults.push(...expected('the run that waited', done, 0, [/store of evidence is back/]));
  const verified = await new Run(folder, ['verify', '--ledger', split(120)]).ended();
  faults.push(...expected('verify', verified, 0, []));
  const undisturbed = await theUndisturbed(mkdtempSync(join(root, 'part-')), seed);
  if (comparable(done.stdout) !== undisturbed)
    faults.push(`it came to ${comparable(done.stdout)} instead of ${undisturbed}`);
  const ledger = await openLedger(split(120));
  try {
    return [...faults, ...(await onceInTables(mkdtempSync(join(root, 'part-')), ledger))];
  } finally {
    await ledger.close();
  }
}

function writeRunFile(folder: string, seed: number): void {
  const settings = tinySettings({ stages, name, seed });
  writeFileSync(join(folder, 'run.json'), JSON.stringify(settings));
}

/** Of the same settings, with all of it in one file. */
async function theUndisturbed(folder: string, seed: number): Promise<string> {
  writeRunFile(folder, seed);
  const { stdout } = await new Run(folder, ['run', '--file', 'run.json', '--json']).ended();
  return comparable(stdout);
}

function comparable(result: string): string {
  if (result === '') return 'nothing';
  const { run: _, ledger: __, ...rest } = JSON.parse(result) as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest);
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

function expected(who: string, { code, stderr }: Ended, wanted: number, says: readonly RegExp[]): string[] {
  const unsaid = says.filter((one) => !one.test(stderr)).map((one) => `${who} does not say ${one}: ${stderr}`);
  return code === wanted ? unsaid : [`${who} ended with ${code}: ${stderr}`, ...unsaid];
}

async function onceInTables(folder: string, ledger: Ledger): Promise<readonly string[]> {
  const counted = await countInTables(ledger, folder);
  const faults: string[] = [];
  for await (const ends of ledger.streams()) {
    for (const { stream, revision } of ends) {
      const { rows, revisions } = counted.get(stream) ?? { rows: 0, revisions: 0 };
      if (rows !== revision + 1 || revisions !== rows) faults.push(`${stream}: ${rows} rows of ${revision + 1} events`);
    }
  }
  return faults;
}

/** A command in a process of its own, heard as it speaks. */
export class Run {
  readonly #child: ChildProcess;
  readonly #said: string[] = [];
  readonly #stdout: Promise<string>;
  readonly #ended: Promise<unknown>;
  readonly #listening: (() => void)[] = [];

  constructor(cwd: string, argv: readonly string[]) {
    const child = spawn(process.execPath, [bin, ...argv], { cwd, env: bare(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#stdout = text(child.stdout);
    createInterface(child.stderr).on('line', (line) => {
      this.#said.push(line);
      for (const listen of this.#listening) listen();
    });
    this.#ended = once(child, 'close');
  }

  /** Resolves when it has said so, so often, or has ended. */
  async says(what: RegExp, times = 1): Promise<void> {
    const said = new Promise<void>((resolve) => {
      const listen = (): void => {
        if (this.#said.filter((line) => what.test(line)).length >= times) resolve();
      };
      this.#listening.push(listen);
      listen();
    });
    await Promise.race([said, this.#ended]);
  }

  async ended(): Promise<Ended & { readonly stdout: string }> {
    await this.#ended;
    return { code: this.#child.exitCode, stderr: this.#said.join('\n'), stdout: await this.#stdout };
  }
}
