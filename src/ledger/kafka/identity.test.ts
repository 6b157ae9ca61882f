import { describe, expect, it } from 'vitest';
import { makeLedger, readIdentity } from './identity.ts';
import { parseKafkaUrl } from './place.ts';
import { LogInMemory, TopicsInMemory } from './testing/log-in-memory.ts';
import { partitionsOf, topicsWanted } from './topics.ts';
import { record } from './transport/contract/bench.ts';

const url = 'kafka://memory/lab?partitions=4';
const place = parseKafkaUrl(url);
const otherPlace = parseKafkaUrl('kafka://memory/lab?partitions=2');
const identityTopic = 'lab.ledger';

function topics(): { topics: TopicsInMemory; transport: LogInMemory } {
  const made = new TopicsInMemory();
  return { topics: made, transport: new LogInMemory(made) };
}

describe('a ledger’s identity', () => {
  it('is what it was made with', async () => {
    const { transport } = topics();
    await expect(readIdentity(transport, place, url)).rejects.toMatchObject({ name: 'LedgerMissing' });
    await makeLedger(transport, place, url, 'mine');
    await makeLedger(transport, otherPlace, url, 'another');
    const identity = await readIdentity(transport, otherPlace, url);
    expect(identity).toMatchObject({ ledger: 'mine', partitions: partitionsOf(4) });
    expect(identity.incarnation).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is that of who wrote it first, of two who make it at once, with as many partitions as there are', async () => {
    const { topics: made, transport } = topics();
    transport.during('produce', () => makeLedger(new LogInMemory(made), otherPlace, url, 'quicker'));
    await makeLedger(transport, place, url, 'slower');
    expect(await readIdentity(transport, place, url)).toMatchObject({ ledger: 'quicker', partitions: partitionsOf(4) });
  });

  it('is of the topics that are there where somebody broke off before', async () => {
    const { transport } = topics();
    await transport.create(topicsWanted('lab', partitionsOf(4), -1).slice(0, 3));
    await makeLedger(transport, otherPlace, url, 'mine');
    expect(await readIdentity(transport, place, url)).toMatchObject({ partitions: partitionsOf(4) });
  });

  it('is found behind what holds no record', async () => {
    const { topics: made, transport } = topics();
    await transport.create(topicsWanted('lab', partitionsOf(4), -1));
    made.partition(identityTopic, 0).skip(3);
    await expect(readIdentity(transport, place, url)).rejects.toMatchObject({ name: 'LedgerMissing' });
    await makeLedger(transport, place, url, 'mine');
    expect(await readIdentity(transport, place, url)).toMatchObject({ ledger: 'mine' });
  });

  it('is not made anew where it was removed', async () => {
    const { topics: made, transport } = topics();
    await makeLedger(transport, place, url, 'mine');
    made.partition(identityTopic, 0).skip(1);
    made.partition(identityTopic, 0).removeBefore(1);
    await expect(makeLedger(transport, place, url, 'another')).rejects.toMatchObject({ name: 'OffsetsGone' });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'a ledger'],
    ['no object', '7'],
    ['another format', '{"format":"1"}'],
    ['no name', '{"format":1,"incarnation":"00000000-0000-0000-0000-000000000000","partitions":{}}'],
    ['a path', '{"format":1,"ledger":"l","incarnation":"../../../../../../../../../../../../tmp","partitions":{}}'],
    ['no partitions', '{"format":1,"ledger":"l","incarnation":"00000000-0000-0000-0000-000000000000","partitions":{}}'],
  ])('is none where the first record says %s', async (_, value) => {
    const { transport } = topics();
    await transport.create(topicsWanted('lab', partitionsOf(4), -1));
    await transport.produce(identityTopic, 0, [record(value)]);
    await expect(readIdentity(transport, place, url)).rejects.toMatchObject({ name: 'NotALedger' });
  });

  it('is left alone where a newer icecore wrote it', async () => {
    const { transport } = topics();
    await transport.create(topicsWanted('lab', partitionsOf(4), -1));
    await transport.produce(identityTopic, 0, [record('{"format":2}')]);
    await expect(readIdentity(transport, place, url)).rejects.toMatchObject({ name: 'NewerLedger' });
  });

  it.each(['lab.evidence', 'lab.run', identityTopic])('is refused with a %s that loses history', async (topic) => {
    const { topics: made, transport } = topics();
    const short = { 'retention.ms': '86400000' };
    await transport.create([
      { name: topic, partitions: topic === 'lab.evidence' ? 4 : 1, replicas: -1, settings: short },
    ]);
    await makeLedger(transport, place, url, 'mine');
    const refusal = { name: 'WouldLoseHistory', facts: { topic } };
    await expect(readIdentity(transport, place, url)).rejects.toMatchObject(refusal);
    made.remove(topic);
    const missing = topic === identityTopic ? 'LedgerMissing' : 'TopicMissing';
    await expect(readIdentity(transport, place, url)).rejects.toMatchObject({ name: missing });
  });
});
