// A group whose members come, leave and are killed in the middle of batches while others record; and the tables that they leave
// held against those of one file that one projector fills.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Digests, digestsIn, tableDigests } from '../digests.ts';
import { project } from '../projector/projector.ts';
import { openLockedWith } from '../query/open.ts';
import { fillShards } from '../shards/filling.ts';
import { withJoined } from '../shards/joined.ts';
import { filledFiles, groupFolder } from '../shards/place.ts';
import { FillingMember, type Place } from './members.ts';
import { writeRollouts } from './varied.ts';

const group = 'rebalanced';
const streams = 8;
/** As many batches are filled at most before the next thing happens. */
const mostBatches = 6;

export interface Rebalancing {
  readonly ledger: Ledger;
  readonly folder: string;
  readonly rebalances: number;
  /** From 0 to 1, for a purpose. */
  readonly drawn: (purpose: string) => number;
  readonly onRound?: (rebalances: number, faults: number) => void;
}

export interface Rebalanced {
  readonly rebalances: number;
  /** How many of them found a member in the middle of a shard. */
  readonly inTheMiddle: number;
  readonly faults: readonly string[];
}

/** Rounds of three: one joins another, leaves it, and another one joins; then all are killed. */
export async function rebalanced({ ledger, folder, ...of }: Rebalancing): Promise<Rebalanced> {
  const faults: string[] = [];
  let [rebalances, inTheMiddle, recorded] = [0, 0, 0];
  const record = async (count: number): Promise<void> => {
    for (let shard = 0; shard < streams; shard++) await writeRollouts(ledger, recorded, count, shard);
    recorded += count;
  };
  while (rebalances < of.rebalances) {
    // A group of Kafka's own each time: in that of the killed they are missed only after a while.
    const place = { url: ledger.url, group: randomUUID(), folder: groupFolder(folder, group) };
    await record(60);
    const stays = new FillingMember(place);
    const meanwhile = async <Done>(change: () => Promise<Done>): Promise<Done> => {
      // Where the other has nearly all of the shards, only what is recorded now comes to this one.
      const batches = stays.batches.length + 1 + Math.floor(of.drawn(`rebalance ${rebalances}`) * mostBatches);
      while (stays.batches.length < batches) {
        stays.requireRunning();
        await record(10);
      }
      if (stays.inTheMiddleOf !== null) inTheMiddle++;
      rebalances++;
      const [done] = await Promise.all([change(), record(20)]);
      return done;
    };
    const leaves = await meanwhile(() => joined(place));
    await meanwhile(() => leaves.leave());
    const dies = await meanwhile(() => joined(place));
    await Promise.all([stays.kill(), dies.kill()]);
    const fault = await faultIn(ledger, folder).catch((error: Error) => error.message);
    if (fault !== null) faults.push(`after ${rebalances} rebalances: ${fault}`);
    of.onRound?.(rebalances, faults.length);
  }
  return { rebalances, inTheMiddle, faults };
}

/** Has been given something. */
async function joined(place: Place): Promise<FillingMember> {
  const member = new FillingMember(place);
  await member.until(() => member.batches.length + member.filled.length > 0);
  return member;
}

async function faultIn(ledger: Ledger, folder: string): Promise<string | null> {
  await fillAll(ledger, folder, group);
  const elsewhere = join(folder, 'whole');
  const { path } = await project(ledger, elsewhere);
  const [expected, found] = [ofPeople(await tableDigests(path)), await digestsOfGroup(ledger, folder, group)];
  rmSync(elsewhere, { recursive: true });
  const unlike = Object.keys(expected).filter((name) => expected[name] !== found[name]);
  return unlike.length === 0
    ? null
    : unlike.map((name) => `${name}: ${found[name]} instead of ${expected[name]}`).join('; ');
}

/** By one member, who has all of them. */
export async function fillAll(ledger: Ledger, folder: string, group: string): Promise<void> {
  const { signal } = new AbortController();
  const member = { group: randomUUID(), folder: groupFolder(folder, group), follow: false, signal };
  for await (const _ of fillShards(ledger, member));
}

/** Of what people see of all shards together. */
export async function digestsOfGroup(ledger: Ledger, tables: string, group: string): Promise<Digests> {
  const asked = { ledger, tables, group };
  return await withJoined(asked, filledFiles(asked), {}, async ({ files }) => {
    const held = await openLockedWith(files.path, files.attached, 1024, {});
    try {
      return ofPeople(await digestsIn(await held.connect(), 'tables and views'));
    } finally {
      held.release();
    }
  });
}

export function ofPeople(digests: Digests): Digests {
  return Object.fromEntries(Object.entries(digests).filter(([name]) => name.startsWith('main.')));
}
