// Reading the shared history of a fork.
import { expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { readHistory } from '../history/reading.ts';
import type { Parent } from '../history/run-history.ts';
import { tinyPlace } from '../run/testing/tiny.ts';

it("a fork of a fork shares its parent's history, including what that one shares", async () => {
  const { ledger, close } = await tinyPlace();
  onTestFinished(close);
  const begun = async (run: string, parent?: Parent): Promise<Parent> => {
    const data = { name: run, environment: { name: 'lake' }, ...(parent === undefined ? {} : { parent }) };
    const at = '2026-01-01T00:00:00.000Z';
    const event = { id: crypto.randomUUID(), type: 'RunStarted', version: 1, at, actor: 'producer/run', run };
    await ledger.append(streamOf.run(run), [{ ...event, stage: null, causes: [], data }], { expect: 'none' });
    const [{ digest } = { digest: '' }] = await collect(ledger.read(streamOf.run(run)));
    return { run, stage: 1, revision: 0, digest };
  };
  const first = await begun('first0000000');
  const second = await begun('second000000', first);
  await begun('third0000000', second);
  expect((await readHistory(ledger, 'first0000000')).shares).toEqual([]);
  expect((await readHistory(ledger, 'third0000000')).shares).toEqual([second, first]);
});
