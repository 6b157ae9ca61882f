// The lines of a trainer, which anybody may have written, name what training left: never another file of the user's.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyPlace, hasPython, type Place, tiny } from './testing/place.ts';

interface Begun {
  readonly at: Place;
  /** Of the stage. */
  readonly folder: string;
  /** A file of the user's. */
  readonly secret: string;
}

async function begun(): Promise<Begun> {
  const at = emptyPlace();
  const { trainer: _, ...settings } = { ...tiny, engineer: 'rules' };
  at.write('run.json', settings);
  const { stdout } = await at.icecore('stage', 'start', 'hand', '--file', 'run.json', '--programs');
  const { folder } = JSON.parse(stdout) as { folder: string };
  const secret = join(at.folder, 'secret');
  writeFileSync(secret, '{"key": "of the user"}');
  mkdirSync(folder, { recursive: true });
  return { at, folder, secret };
}

function linkTo({ folder, secret }: Begun): string {
  const link = join(folder, 'link');
  symlinkSync(secret, link);
  return link;
}

function blobsIn({ folder }: Place): number {
  const names = readdirSync(join(folder, '.icecore'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.zst')).length;
}

const digest = 'a'.repeat(64);

describe.skipIf(!hasPython)('a checkpoint named in the output of a trainer', () => {
  it.each<[string, (begun: Begun) => object, string]>([
    ['by its path', ({ secret }) => ({ file: secret }), '--checkpoint FILE'],
    ['by a path that leads outside', ({ folder, secret }) => ({ file: relative(folder, secret) }), '--checkpoint FILE'],
    ['that is the folder', () => ({ file: '.' }), '--checkpoint FILE'],
    ['by a link', (place) => ({ file: relative(place.folder, linkTo(place)) }), 'link is a symbolic link'],
    ['by its path and some digest', ({ secret }) => ({ reference: secret, digest }), '--checkpoint FILE'],
    [
      'by a path from here and some digest',
      ({ secret }) => ({ reference: relative(process.cwd(), secret), digest }),
      '--checkpoint FILE',
    ],
    ['by a link and some digest', (place) => ({ reference: linkTo(place), digest }), 'link is a symbolic link'],
  ])('%s is not read', async (_, checkpoint, says) => {
    const place = await begun();
    const { at } = place;
    const [events, blobs] = [await at.events(), blobsIn(at)];
    const lines = [{ step: 1, spent: { 'agent-steps': 300 }, values: {} }, { done: { checkpoint: checkpoint(place) } }];
    writeFileSync(join(at.folder, 'lines.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { code, stderr } = await at.icecore('stage', 'finish', 'hand', '--curve', 'lines.ndjson');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
    expect([await at.events(), blobsIn(at)]).toEqual([events, blobs]);
  });
});
