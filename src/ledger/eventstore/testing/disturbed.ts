// A ledger in EventStoreDB under all kinds of faults: answers lost or delayed, a server that restarts or redirects its clients,
// connections cut, subscriptions dropped. Two machines write and a third follows. Afterwards a fourth one, which was not affected,
// must find each acknowledged event once, and the third must have received exactly these.
import { collect } from '../../contract/fixture.ts';
import { evidenceStream, note, noteIn, notesStream, rollout, someRollouts, streams } from '../../contract/samples.ts';
import type { Ledger } from '../../ledger.ts';
import { verifyOpened } from '../../verify/verify.ts';
import type { Fate } from './faults.ts';
import { Ledgers } from './ledgers.ts';
import { notLeader } from './refusals.ts';
import type { TestServer } from './server.ts';

export interface Disturbed {
  /** The number of faults. */
  readonly struck: number;
  /** The errors at the end. */
  readonly faults: readonly string[];
}

type Drawn = (purpose: string) => number;

const rounds = 10;
const [, shared = ''] = streams;

export async function disturbed(drawn: Drawn): Promise<Disturbed> {
  const ledgers = new Ledgers();
  try {
    const server = await ledgers.server();
    const at = `esdb://${server.address}/disturbed?tls=false`;
    const one = await ledgers.open(at);
    const open = (): Promise<Ledger> => ledgers.elsewhere(() => ledgers.open(at, {}));
    const [two, three] = [await open(), await open()];
    const trouble = new Trouble(server, drawn);
    const followed = follow(three, 3 * rounds * 2 + rounds * 2);
    await Promise.all([writeOne(one, trouble), writeTwo(two)]);
    trouble.end();
    const given = await followed;
    return { struck: trouble.struck, faults: await faultsOf(await open(), given) };
  } finally {
    await ledgers.close();
  }
}

/** Decides the fate of each append at random; the third try of one succeeds. */
class Trouble {
  readonly #server: TestServer;
  readonly #drawn: Drawn;
  struck = 0;
  #asked = 0;

  constructor(server: TestServer, drawn: Drawn) {
    this.#server = server;
    this.#drawn = drawn;
    server.faults.onAppend = ({ attempt }) => (attempt > 2 ? null : this.#fate());
  }

  between(index: number): void {
    const moment = this.#drawn(`between ${index}`);
    if (moment < 0.3) this.#server.faults.cutConnections();
    else if (moment < 0.6) this.#server.faults.dropSubscriptions(Math.floor(moment * 10), 'cut');
    if (moment < 0.6) this.struck++;
  }

  end(): void {
    this.#server.faults.heal();
  }

  #fate(): Fate | null {
    const number = this.#asked++;
    if (this.#drawn(`whether ${number}`) < 0.5) return null;
    this.struck++;
    const kinds: readonly Fate[] = [
      ...(['cut', 'restart', 'unavailable', 'timeout'] as const).flatMap((how): Fate[] => [
        { lost: 'before', how },
        { lost: 'after', how },
      ]),
      { refusal: notLeader(this.#server.endpoint) },
    ];
    return kinds[Math.floor(this.#drawn(`which ${number}`) * kinds.length)] ?? null;
  }
}

/** One stream with exact revisions, and one that another machine writes too. */
async function writeOne(ledger: Ledger, trouble: Trouble): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    await ledger.append(notesStream, [note(2 * i), note(2 * i + 1)], { expect: i === 0 ? 'none' : 2 * i - 1 });
    trouble.between(i);
    await ledger.append(shared, [noteIn(shared, 2 * i)], { expect: 'any' });
  }
}

async function writeTwo(ledger: Ledger): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    await ledger.append(evidenceStream, someRollouts(4 * i, 4), { expect: 'any' });
    await ledger.append(shared, [noteIn(shared, 2 * i + 1)], { expect: 'any' });
  }
}

async function follow(ledger: Ledger, events: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const delivery of ledger.subscribe()) {
    if (delivery.kind === 'events') ids.push(...delivery.events.map(({ id }) => id));
    if (ids.length >= events) break;
  }
  return ids;
}

async function faultsOf(ledger: Ledger, given: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  const ids = async (stream: string): Promise<string[]> => (await collect(ledger.read(stream))).map(({ id }) => id);
  const expectSame = (what: string, found: readonly string[], wanted: readonly string[]): void => {
    if (found.join() !== wanted.join()) faults.push(`${what}: ${found.length} events, not the ${wanted.length} wanted`);
  };
  const notes = Array.from({ length: 2 * rounds }, (_, i) => note(i).id);
  expectSame(notesStream, await ids(notesStream), notes);
  const rollouts = Array.from({ length: 4 * rounds }, (_, i) => rollout(i).id);
  expectSame(evidenceStream, await ids(evidenceStream), rollouts);
  const both = await ids(shared);
  for (const writer of [0, 1]) {
    const own = Array.from({ length: rounds }, (_, i) => noteIn(shared, 2 * i + writer).id);
    expectSame(
      `${shared} of writer ${writer}`,
      both.filter((id) => own.includes(id)),
      own,
    );
  }
  const all = (await collect(ledger.readAll())).map(({ id }) => id);
  expectSame('what was followed', given, all);
  const { findings } = await verifyOpened(ledger, { blobs: null, run: null, head: null });
  const wrong = findings.filter(({ kind }) => kind !== 'unsealed');
  return [...faults, ...wrong.map(({ where, says }) => `${where}: ${says}`)];
}
