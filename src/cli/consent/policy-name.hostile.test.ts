// A ledger names a program as environment, records that it called itself the lake, and a word as policy: a link beside it
// has that name, and leads to a file of the user's. Nobody is asked about a name, so that no file is read for it.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/harness.ts';
import { strangers } from './testing/stranger.ts';

const stranger = strangers();

it.each([
  ['ablate', 'tiny@2', '--engineer', 'rules', '--plan'],
  ['ablate', 'tiny@2', '--engineer', 'rules'],
])('%s %s %s %s reads no file that has the name of the recorded policy', async (...argv) => {
  const place = await stranger((command) => ({ environment: command(), policy: 'inner' }));
  const secret = join(temporaryFolder(), 'secret');
  writeFileSync(secret, 'secretsecretsecretsecret');
  symlinkSync(secret, join(place.folder, 'inner'));
  const { stdout, stderr } = await place.icecore(...argv);
  const firstWord = String(Buffer.from('secretse').readBigUInt64LE()).slice(0, 12);
  expect(stdout + stderr).not.toContain('safetensors');
  expect(stdout + stderr).not.toContain(firstWord);
  expect(place.hasRun()).toBe(false);
});
