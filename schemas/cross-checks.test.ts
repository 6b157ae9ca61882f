import { describe, expect, it } from 'vitest';
import { golden, type Json, verdict } from './testing/golden.ts';

describe('fields that contradict each other', () => {
  it('sealed attempts must be of this run and stage, each named once', () => {
    const sealed = golden('EvidenceSealed.v1');
    const [attempt] = sealed.event.data['attempts'] as Json[];
    const other = { ...attempt, stream: 'evidence-k3v9q2m8x1tz-1-0-0' };
    expect(verdict(sealed, {}, { attempts: [attempt, attempt, other] })).toEqual([
      'data.attempts[2].stream: found "evidence-k3v9q2m8x1tz-1-0-0", allowed: an evidence stream of run k3v9q2m8x1tz, stage 2',
      'data.attempts[1].stream: found "evidence-k3v9q2m8x1tz-2-0-0" again, allowed: each attempt once',
    ]);
  });

  it('a seal may name several attempts of a part, which count together', () => {
    const sealed = golden('EvidenceSealed.v1');
    const [attempt] = sealed.event.data['attempts'] as Json[];
    const of = (part: string): object => ({ ...attempt, stream: `evidence-k3v9q2m8x1tz-2-${part}` });
    const parts = ['0-0', '0-1', '1-100000', 'training-0', 'training-2', 'validation-1', 'validation-0'];
    expect(verdict(sealed, {}, { attempts: parts.map(of) })).toEqual([]);
  });

  it('a decision by an engineer needs a proposal', () => {
    expect(verdict(golden('ConfigAdopted.v1'), {}, { proposal: null })).toEqual([
      'data.proposal: found null, allowed: the id of the proposal, since an engineer decided',
    ]);
  });

  it.each(['ConfigAdopted.v1', 'ProposalRecorded.v1', 'ArmProposed.v1'])(
    'a knob is changed or kept, once: %s',
    (file) => {
      const written = golden(file);
      const [change] = written.event.data['changes'] as Json[];
      const kept = [{ knob: '5.hole', family: '5', cites: null, reason: null }];
      expect(verdict(written, {}, { changes: [change, change], kept })).toEqual([
        'data.changes[1].knob: found "5.hole" again, allowed: each knob once, changed or kept',
        'data.kept[0].knob: found "5.hole" again, allowed: each knob once, changed or kept',
      ]);
    },
  );

  it('an answer must be in the stream of its key', () => {
    const written = golden('ModelAnswered.v1');
    const [issue] = verdict(written, {}, { key: 'ab'.repeat(32) });
    expect(issue).toContain('the name of the stream');
  });

  it('a descriptor lists each knob and family once', () => {
    const started = golden('RunStarted.v1');
    const descriptor = started.event.data['descriptor'] as Json;
    const [knob] = descriptor['knobs'] as Json[];
    const knobs = [knob, { ...knob, range: { min: 1, max: 0 } }, { ...knob, name: 'x', path: ['x'], family: '77' }];
    expect(
      verdict(started, {}, { descriptor: { ...descriptor, knobs, sharesSum: [{ knobs: ['y'], total: 1 }] } }),
    ).toEqual([
      'data.descriptor.knobs[1].name: found "3.data" again, allowed: each knob once',
      'data.descriptor.knobs[1].range: found min 1 above max 0, allowed: min <= max',
      'data.descriptor.knobs[2].family: found "77", allowed: a family listed in `families`, or null',
      'data.descriptor.sharesSum[0].knobs[0]: found "y", allowed: a knob listed in `knobs`',
    ]);
  });

  it('an ablation compares only its own arms, each named once', () => {
    const started = golden('AblationStarted.v1');
    const [arm] = started.event.data['arms'] as Json[];
    const primary = { arm: 'rules/stats', reference: 'gone', measure: 'valid', better: 'higher' };
    expect(verdict(started, {}, { arms: [arm, arm], primary })).toEqual([
      'data.arms[1].arm: found "rules/stats" again, allowed: each arm once',
      'data.primary.reference: found "gone", allowed: one of rules/stats, rules/stats',
    ]);
  });
});
