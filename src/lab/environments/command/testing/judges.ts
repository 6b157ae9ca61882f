// A judge that can be made to fail, and the results of answers.
import type { Try, Verdict } from '../../environment.ts';
import { task } from './programs.ts';

/** A judge that does what the answer says. */
export const obedient = `judge(r) {
  const verdict = { ...heads, understood: r.answer };
  switch (r.answer) {
    case 'die': process.exit(5);
    case 'hang': while (true);
    case 'shout': print('WARNING: deprecated\\n'); break;
    case 'refuse': return say({ request: r.request, error: { message: 'no coin in sight' } });
    case 'mumble': return say({ request: r.request, verdict: { outcome: 'heads' } });
    case 'edge': return say({ request: r.request, verdict: { outcome: 'edge', success: true } });
    case 'both': return say({ request: r.request, verdict: { outcome: 'tails', success: true, failures: [{ class: 'tails' }] } });
    case 'neither': return say({ request: r.request, verdict: { outcome: 'tails', success: false } });
    case 'deep': verdict.understood = JSON.parse('['.repeat(400) + ']'.repeat(400));
    case 'spoil': if (r.answer === 'spoil') return say({ request: r.request, verdict: { spoilt: { kind: 'lost', message: 'it rolled away' } } });
  }
  say({ request: r.request, verdict });
}`;

export const tries = (answers: readonly unknown[]): Try[] => answers.map((answer) => ({ task, answer }));

/** The fault kind of each invalid try, or its parsed answer. */
export function came(verdicts: readonly Verdict[]): unknown[] {
  return verdicts.map((verdict) => ('spoilt' in verdict ? verdict.spoilt.kind : verdict.understood));
}
