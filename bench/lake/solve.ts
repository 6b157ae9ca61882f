// Solving: the lakes of eight shapes, solved by icecore and, if installed, by other solvers in turn, on one core. The ratio is to the faster
// peer of each round.
import type { Instance } from '../../testbed/lake/instance.ts';
import { Solver } from '../../testbed/lake/solver/solver.ts';
import { median } from '../measure.ts';
import { findPeers, howToHavePeers, type Peer, solveAllWith } from '../peers/mapf/peers.ts';
import { type Line, type Report, rateLine, ratioLine } from '../report.ts';
import { lakeCount, lakesOf, type Shape, shapeName, shapes } from './lakes.ts';
import { duration, type Latency, latencyOf, overall } from './latency.ts';
import { limit, type Round, solveAll, unsolved } from './solving.ts';

const rounds = 3;
const warmUp = 1000;
const aheadBy = 2;
/** Microseconds for 99 % of the lakes, where a target is set. */
const p99Target = 2000;

interface Contender {
  readonly name: string;
  readonly solve: (lakes: readonly Instance[]) => Round;
  readonly rounds: Round[];
}

interface Figures extends Latency {
  readonly perSecond: number;
  readonly unsolved: number;
}

export async function solveBench(): Promise<Report[]> {
  const peers = findPeers();
  if (peers.length === 0) console.error(howToHavePeers);
  return shapes.map((shape) => reportOf(shape, measure(shape, peers)));
}

function measure(shape: Shape, peers: readonly Peer[]): Contender[] {
  const lakes = lakesOf(shape, lakeCount, 'measured');
  const solver = new Solver();
  solveAll(solver, lakesOf(shape, warmUp, 'warm-up'));
  const contenders: Contender[] = [
    { name: 'icecore', solve: (all) => solveAll(solver, all), rounds: [] },
    ...peers.map((peer): Contender => ({ name: peer.name, solve: (all) => solveAllWith(peer, all), rounds: [] })),
  ];
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) contender.rounds.push(contender.solve(lakes));
  }
  return contenders;
}

function reportOf(shape: Shape, contenders: readonly Contender[]): Report {
  const [ours, ...peers] = contenders as [Contender, ...Contender[]];
  const figures = figuresOf(ours);
  const ratio = peers.length === 0 ? null : ratioToBetter(ours, peers);
  const beside = peers.map((peer) => ({ name: peer.name, ...figuresOf(peer), ...disagreements(ours, peer) }));
  const lines: Line[] = [
    rateLine('icecore', figures.perSecond),
    { what: 'median', value: duration(figures.median), target: '', met: null },
    p99Line(shape, figures.p99),
    { what: 'worst', value: duration(figures.worst), target: '', met: null },
    { what: 'unsolved after 1 s', value: String(figures.unsolved), target: 'none', met: figures.unsolved === 0 },
    ...beside.flatMap(({ name, ...peer }) => peerLines(name, peer)),
    ...(ratio === null ? [] : [ratioLine('ratio to the faster one', ratio, aheadBy)]),
  ];
  const head = { ...shape, lakes: lakeCount, rounds, limit: limit / 1_000_000 };
  const title = `solving ${lakeCount.toLocaleString('en')} lakes, ${shapeName(shape)}, ${rounds} rounds`;
  return { title, lines, data: { ...head, icecore: figures, peers: beside, ratio } };
}

function figuresOf({ rounds: all }: Contender): Figures {
  return {
    perSecond: Math.round(median(all.map(perSecond))),
    ...overall(all.map(({ microseconds }) => latencyOf(microseconds))),
    unsolved: Math.max(...all.map(unsolved)),
  };
}

const perSecond = ({ costs, milliseconds }: Round): number => (costs.length / milliseconds) * 1000;

function ratioToBetter(ours: Contender, peers: readonly Contender[]): number {
  const ratios = ours.rounds.map((round, i) => {
    const best = Math.max(...peers.map((peer) => perSecond(peer.rounds[i] as Round)));
    return perSecond(round) / best;
  });
  return Math.round(median(ratios) * 100) / 100;
}

interface Disagreements {
  /** Lakes for which the peer claims a higher optimum than the cost of a plan that the judge found valid: the peer is wrong. */
  readonly higher: number;
  /** Lakes for which the peer claims a lower optimum: icecore would be wrong. */
  readonly lower: number;
}

function disagreements(ours: Contender, peer: Contender): Disagreements {
  let higher = 0;
  let lower = 0;
  for (let i = 0; i < lakeCount; i++) {
    const own = costOf(ours, i);
    const theirs = costOf(peer, i);
    if (own === null || theirs === null || own === theirs) continue;
    if (theirs > own) higher++;
    else lower++;
  }
  return { higher, lower };
}

/** From the first round with an answer; rounds differ only in time. */
function costOf({ rounds: all }: Contender, i: number): number | null {
  return all.map(({ costs }) => costs[i] ?? null).find((cost) => cost !== null) ?? null;
}

function p99Line({ size, agents }: Shape, p99: number): Line {
  const what = '99 % within';
  if (size !== 8 || agents !== 5) return { what, value: duration(p99), target: '', met: null };
  return { what, value: duration(p99), target: `under ${duration(p99Target)}`, met: p99 < p99Target };
}

function peerLines(name: string, figures: Figures & Disagreements): Line[] {
  const { median: middle, p99, worst, higher, lower } = figures;
  const times = [middle, p99, worst].map(duration).join(' / ');
  return [
    rateLine(name, figures.perSecond),
    { what: '  median / 99 % / worst', value: times, target: '', met: null },
    { what: '  unsolved after 1 s', value: String(figures.unsolved), target: '', met: null },
    { what: '  optimum too high', value: String(higher), target: '', met: null },
    { what: "  optimum lower than icecore's", value: String(lower), target: 'none', met: lower === 0 },
  ];
}
