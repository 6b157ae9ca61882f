// Names of runs: those in use, checks of chosen names, and generated names.
import { IcecoreError } from '../../../schemas/errors.ts';
import { name as nameSchema } from '../../../schemas/primitives.ts';
import { shellWord } from '../../base/shell-word.ts';
import { Random } from '../../lab/random.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const first =
  'amber azure bold brave brisk bright calm clear cold cool crisp deep dry eager early fair fast fine firm fresh frosty gentle ' +
  'glad golden green grey hardy high icy keen kind late light lively lone long lucid mellow mild misty neat noble pale patient ' +
  'plain polar proud quick quiet rapid rare round sharp shy silent silver sleek slow small snowy soft solid spare still stout ' +
  'sunny swift tall tame thin tidy true vast vivid warm wide wild windy wise young';
const second =
  'auk bay bear beluga berg bluff brook cape char cliff cloud coast cod cove creek crest crow current dale deer delta drift ' +
  'dune eider elk ermine falcon fell fern field finch fjord floe fox frost gale geyser glacier grouse gull hare harbour hawk heron ' +
  'hill ibex island jay lake lark ledge lemming lichen loon lynx marten marsh mink moose moss narwhal oak orca otter owl peak ' +
  'perch petrel pike pine plover pond ptarmigan puffin raven reef ridge river seal shore skua slope snow spruce stoat stone ' +
  'stream summit swan tarn tern thaw tide trout tundra valley vole walrus wave whale willow wind wolf wren';

class NameTaken extends IcecoreError {
  override readonly name = 'NameTaken';

  constructor(name: string, run: string) {
    super('conflict', `a run called ${name} exists already`, {
      facts: { name, run },
      remedy: `Choose another name. If that run was stopped, this continues it: icecore resume ${shellWord(name)}`,
    });
  }
}

/** The names of all runs, with their identities. */
export async function namesTaken(ledger: Ledger): Promise<ReadonlyMap<string, string>> {
  const taken = new Map<string, string>();
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const { reading, envelope } of events) {
      if (reading.known && reading.type === 'RunStarted') taken.set(reading.data.name, envelope.run ?? '');
    }
  }
  return taken;
}

/** Throws NameTaken, and a usage error if the name could be mistaken for other words of the command line. */
export function checkedName(name: string, taken: ReadonlyMap<string, string>): string {
  const isClear = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u.test(name) && nameSchema.safeParse(name).success;
  if (!isClear || name === 'latest') {
    throw new IcecoreError('usage', `--name: found "${name}", allowed: letters, digits, ".", "_" and "-", not latest`, {
      facts: { field: '--name', found: name },
    });
  }
  const run = taken.get(name);
  if (run !== undefined) throw new NameTaken(name, run);
  return name;
}

/** Two words derived from the run's identity, with a number if the name is taken. */
export function nameFor(run: string, taken: ReadonlyMap<string, string>): string {
  const random = new Random(run, 'name');
  const [firsts, seconds] = [first.split(' '), second.split(' ')];
  const name = `${firsts[random.below(firsts.length)]}-${seconds[random.below(seconds.length)]}`;
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}
