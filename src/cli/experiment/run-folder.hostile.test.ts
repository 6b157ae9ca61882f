// A ledger in which somebody gave a run an identity that no run can have: its folder would be somewhere else.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { inFolder, json, temporaryFolder } from '../testing/harness.ts';

const elsewhere = '../../../elsewhere';

function rename(ledger: string, run: string): void {
  const tampering = new Tampering(ledger);
  for (const { position, body } of tampering.bodies()) {
    const forged = Buffer.from(body.toString().replaceAll(run, elsewhere));
    tampering.rewrite(position, forged, createHash('sha256').update(forged).digest());
  }
  tampering.run('UPDATE streams SET name = replace(name, ?, ?)', run, elsewhere);
  tampering.close();
}

it.each([
  ['start', []],
  ['finish', ['--checkpoint', 'any.safetensors']],
])('icecore stage %s refuses a run whose forged id names another folder', async (verb, more) => {
  const run = inFolder(temporaryFolder());
  expect(await run('stage', 'start', 'hand', '--engineer', 'rules', '--stages', '2')).toMatchObject({ code: 0 });
  const { run: identity, ledger } = json(await run('show', 'hand', '--json'));
  rename(String(ledger).slice('sqlite:'.length), String(identity));
  const { code, stderr } = await run('stage', verb, 'hand', ...more);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('was not made by icecore run') });
});
