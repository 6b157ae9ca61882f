// Commands whose evidence is on a broker that accepts connections and does not answer, in processes of their own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Kafka, type OwnBrokers, startKafka, whyNoKafka } from '../ledger/kafka/testing/broker.ts';
import { Evidence } from '../ledger/kafka/testing/evidence.ts';
import { tinySettings } from '../producers/run/testing/tiny.ts';
import { type Ran, shell, temporaryFolder } from './testing/harness.ts';
import { Run } from './testing/store-away.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'a broker of our own is suspended' : whyNoKafka();

describe.skipIf(why !== null)(`A broker that hangs${why === null ? '' : `, left out: ${why}`}`, () => {
  let kafka: Kafka;
  let own: OwnBrokers;
  beforeAll(async () => {
    kafka = await startKafka();
    own = kafka.own as OwnBrokers;
  });
  afterAll(() => kafka?.stop());

  async function hang(): Promise<void> {
    await own.pause(0);
    onTestFinished(() => own.resume(0));
  }

  it('does not block icecore runs, and a run in progress ends with the resume command', async () => {
    const cwd = temporaryFolder();
    const ledger = `split:sqlite:decisions.db+${new Evidence(kafka).url}&patience=1`;
    writeFileSync(join(cwd, 'run.json'), JSON.stringify(tinySettings({ stages: 9, name: 'held', record: 'all' })));
    const run = new Run(cwd, ['run', '--file', 'run.json', '--ledger', ledger]);
    await run.says(/^stage 1: /);
    await hang();
    const { code, stderr } = await run.ended();
    expect(stderr).toMatch(/Continue with: .* resume held/);
    expect(stderr).not.toMatch(/inside icecore/);
    expect(code).toBe(1);
    const look = (command: string): Promise<Ran> => shell(`icecore ${command} --ledger '${ledger}'`, cwd);
    expect(await look('runs')).toMatchObject({ code: 0, stdout: expect.stringContaining('held') });
    expect(await look('verify')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') });
  });
});
