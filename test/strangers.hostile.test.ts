// Every command with all input that an attacker can provide, each in a sandbox under strace: it runs nothing of the attacker's, sends
// nothing, reads and changes nothing outside, and prints no secret. In an attacker's folder, every line is a process of its own, as a user types
// it; with the other gifts, lines that end share processes.
import { availableParallelism } from 'node:os';
import { basename, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../src/cli/testing/commands.ts';
import { canary, compileCache, root, Sandbox, Stranger } from './strangers/gifts.ts';
import { LinesProcess } from './strangers/lines-process.ts';
import { type Effects, type Traced, traced, whyUntraceable } from './strangers/trace.ts';
import { type Gift, gifts, type Line, type Verb, verbs } from './strangers/verbs.ts';

const untraceable = whyUntraceable();
const bin = `${root}bin/icecore.cjs`;
const { PATH = '' } = process.env;
const shared = Array.from(
  { length: availableParallelism() },
  () => new LinesProcess({ PATH, NODE_COMPILE_CACHE: compileCache }, untraceable === null),
);
let stranger: Stranger;
let outside: Readonly<Record<string, string>>;

beforeAll(async () => {
  stranger = new Stranger();
  await stranger.forgeTables();
  outside = stranger.outsideNow();
});
afterAll(async () => {
  await Promise.all(shared.map((one) => one.end()));
  stranger.remove();
});

describe('the table of commands', () => {
  it('has every command, and no other', () => {
    const names = commands.all.map(({ name }) => name);
    expect(verbs.map(({ name }) => name).sort()).toEqual([...names, '__complete'].sort());
  });
});

it.runIf(untraceable === null)('commands are traced', () => {});
it.skipIf(untraceable === null)(`commands are not traced: ${untraceable}`, () => {});

describe.each(gifts)("with an attacker's %s", (gift) => {
  it.concurrent.each(verbs)('$name', async (verb) => {
    const sandbox = await Sandbox.open(stranger, gift);
    try {
      const found: string[] = [];
      for (const line of linesFor(gift, verb)) {
        const ran = await runIn(sandbox, gift, verb, line);
        found.push(...offencesOf(ran, line, sandbox, gift).map((offence) => `${line.words.join(' ')}: ${offence}`));
      }
      if (sandbox.heard().includes(canary)) found.push(`sent a secret: ${excerpt(sandbox.heard(), canary)}`);
      const started = stranger.startedIn(sandbox.folder);
      const isAllowed = verb.lines.some(({ allows }) => allows === 'programs');
      const wrong = isAllowed ? started.filter((text) => text.includes(canary)) : started;
      found.push(...wrong.map((text) => `started ${text.slice(0, 120)}`));
      expect([...new Set(found)]).toEqual([]);
    } finally {
      await sandbox.close();
    }
  });
});

it('processes of several lines print no secret between them', async () => {
  const printed = await Promise.all(shared.map((one) => one.end()));
  expect(printed.join('')).not.toContain(canary);
});

it('changes nothing outside', () => {
  expect(stranger.outsideNow()).toEqual(outside);
});

/** All lines with two of the gifts; with the others, the first line and those that need consent. */
function linesFor(gift: Gift, { lines }: Verb): readonly Line[] {
  if (gift === 'folder' || gift === 'settings with hosts elsewhere') return lines;
  return lines.filter(({ needs }, index) => index === 0 || needs !== undefined);
}

async function runIn(sandbox: Sandbox, gift: Gift, verb: Verb, line: Line): Promise<Traced> {
  const ledger = gift === 'ledger' ? ['--ledger', sandbox.filled('LEDGER')] : [];
  const [name = '', ...rest] = line.words.map((word) => sandbox.filled(word));
  const words = [...(name === '__complete' ? [] : ledger), name, ...rest];
  const { stdin = '', limit = 30 } = line;
  const surroundings = { cwd: sandbox.work, env: sandbox.env, stdin, limitSeconds: limit };
  const one = gift === 'folder' || line.limit !== undefined ? undefined : shared[verbs.indexOf(verb) % shared.length];
  if (one !== undefined) return await one.run(words, surroundings);
  return await traced([process.execPath, bin, ...words], surroundings, untraceable === null);
}

function offencesOf({ code, output, effects }: Traced, line: Line, sandbox: Sandbox, gift: Gift): readonly string[] {
  const offences = effectsAgainst(line.allows === 'programs' ? withoutPrograms(effects) : effects, sandbox, gift);
  if (output.includes(canary)) offences.push(`printed a secret: ${excerpt(output, canary)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters of terminals.
  if (/[\u0000-\u0008\u001b\u202a-\u202e]/.test(output)) offences.push('printed control characters');
  if (code === null && line.limit === undefined) offences.push('did not end');
  if (code !== null && code !== 0 && code !== 1 && code !== 2)
    offences.push(`ended with ${code}: ${output.slice(-300)}`);
  if (isRefusalDue(line, gift) && !(code === 1 && /trust|--programs|symbolic link/.test(output))) {
    offences.push(`not refused without consent; it ended with ${code}: ${output.slice(-200)}`);
  }
  return offences;
}

function effectsAgainst({ executed, connected, read, changed }: Effects, sandbox: Sandbox, gift: Gift): string[] {
  const places = [
    sandbox.work,
    sandbox.out,
    sandbox.temp,
    sandbox.gift,
    sandbox.settings,
    compileCache,
    '/dev',
    '/proc',
  ];
  const allowed = gift === 'settings with hosts on this machine' ? [sandbox.host] : [];
  const hidden = [sandbox.account, stranger.outside];
  return [
    ...executed.filter((words) => !isOwnProcess(words)).map((words) => `executed ${words.join(' ')}`),
    ...connected.filter((address) => !allowed.includes(address)).map((address) => `connected to ${address}`),
    ...changed.filter((path) => !isWithin(path, places)).map((path) => `changed ${path}`),
    ...read
      .filter((path) => isWithin(path, hidden) && !isWithin(path, [sandbox.settings]))
      .filter((path) => path !== sandbox.account && !path.endsWith('/.config'))
      .map((path) => `read ${path}`),
  ];
}

function withoutPrograms({ executed, connected, read, changed }: Effects): Effects {
  return {
    executed: executed.filter((words) => !words.includes(stranger.program)),
    connected,
    read,
    changed: changed.filter((path) => path !== stranger.record),
  };
}

/** icecore's own processes; git and uname provide version and platform. */
function isOwnProcess([path = '', ...words]: readonly string[]): boolean {
  if (words.some((word) => word.includes(stranger.program))) return false;
  const name = basename(path);
  if (['node', 'sh', 'bash', 'dash', 'prlimit'].includes(name)) return words.some((word) => word.includes(root));
  return name === 'git' && words.includes('-C') && words.includes(root);
}

/** Programs come from a readable ledger; hosts come from settings only. */
function isRefusalDue({ needs }: Line, gift: Gift): boolean {
  if (gift === 'settings with a ledger elsewhere' || needs === undefined) return false;
  return needs === 'program' || gift.startsWith('settings');
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}${sep}`));
}

function excerpt(text: string, word: string): string {
  const at = text.indexOf(word);
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + 80));
}
