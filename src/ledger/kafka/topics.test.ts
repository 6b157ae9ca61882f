import { describe, expect, it } from 'vitest';
import { categories } from '../../../schemas/streams.ts';
import { losing, partitionsOf, requireAsMade, topicsWanted } from './topics.ts';
import type { TopicFound } from './transport/transport.ts';

const wanted = topicsWanted('lab', partitionsOf(12), 3);

function found(settings: Readonly<Record<string, string>> = {}, partitions = 12): TopicFound {
  const [kept] = wanted.map((topic) => topic.settings);
  return { name: 'lab.evidence', partitions, replicas: 3, settings: new Map(Object.entries({ ...kept, ...settings })) };
}

describe('the topics of a ledger', () => {
  it('are one for each category, one for what cannot be read, and last the one that says whose they are', () => {
    const names = wanted.map(({ name }) => name);
    expect(names.slice(0, -2)).toEqual(categories.map((category) => `lab.${category}`));
    expect(names.slice(-2)).toEqual(['lab.rejected', 'lab.ledger']);
    expect(Math.max(...topicsWanted('', partitionsOf(1), -1).map(({ name }) => name.length))).toBeLessThan(249 - 200);
  });

  it('have one partition each, and evidence as many as it is given', () => {
    const counts = wanted.map(({ name, partitions }) => [name, partitions]);
    expect(counts.filter(([, partitions]) => partitions !== 1)).toEqual([['lab.evidence', 12]]);
    expect(wanted.every(({ replicas }) => replicas === 3)).toBe(true);
  });

  it('are made so that events stay packed as they were sent, and are taken whatever their clock said', () => {
    for (const { settings, wished } of wanted) {
      expect(settings).toMatchObject({ 'compression.type': 'producer' });
      expect(Object.values(wished ?? {})).toEqual(['9223372036854775807', '9223372036854775807']);
    }
  });

  it('are made so that they keep all', () => {
    for (const { name, settings } of wanted)
      expect(losing({ name, partitions: 1, replicas: 1, settings: new Map(Object.entries(settings)) })).toEqual([]);
  });
});

describe('a topic that is found', () => {
  it('is taken as it was made, and where the broker tells nothing of a setting', () => {
    expect(() => requireAsMade(found(), 12)).not.toThrow();
    expect(() => requireAsMade({ ...found(), settings: new Map() }, 12)).not.toThrow();
  });

  it.each([
    ['cleanup.policy', 'compact', 'delete'],
    ['cleanup.policy', 'compact,delete', 'delete'],
    ['retention.ms', '604800000', '-1'],
    ['retention.bytes', '1073741824', '-1'],
    ['compression.type', 'lz4', 'producer'],
    ['compression.type', 'snappy', 'producer'],
  ])('is refused with %s=%s, and the command to change it told', (setting, value, right) => {
    const refusal = {
      name: 'WouldLoseHistory',
      kind: 'unsupported',
      message: expect.stringContaining(`lab.evidence has ${setting}=${value}`),
      remedy: `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic lab.evidence --add-config ${setting}=${right}`,
    };
    expect(() => requireAsMade(found({ [setting]: value }), 12)).toThrow(expect.objectContaining(refusal));
  });

  it.each(['producer', 'uncompressed', 'gzip', 'zstd'])('is taken where it is packed as %s', (codec) => {
    expect(() => requireAsMade(found({ 'compression.type': codec }), 12)).not.toThrow();
  });

  it('is told all that must be changed in one command', () => {
    const all = expect.objectContaining({
      remedy: expect.stringMatching(/ --add-config cleanup\.policy=delete,retention\.ms=-1$/),
    });
    expect(() => requireAsMade(found({ 'retention.ms': '1', 'cleanup.policy': 'compact' }), 12)).toThrow(all);
  });

  it.each([1, 11, 13])('is refused with %d partitions instead of 12', (partitions) => {
    const refusal = { name: 'PartitionsChanged', facts: { topic: 'lab.evidence', made: 12, found: partitions } };
    expect(() => requireAsMade(found({}, partitions), 12)).toThrow(expect.objectContaining(refusal));
  });
});
