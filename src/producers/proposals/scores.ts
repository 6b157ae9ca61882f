// How good a proposal is, as far as that can be told before it is tried: whether its changes rest on what was shown, whether
// it leaves alone what works, whether it could be used as it came, and whether it knows how well the policy does.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Decision } from '../../lab/engineers/decision.ts';
import type { Fact } from '../../lab/engineers/engineer.ts';
import type { Configuration } from '../../lab/environments/environment.ts';
import { citationScore, type EvidenceIds } from './citation-score.ts';
import { diagnosed, type Predictions } from './diagnosis.ts';
import { preservation } from './preserving.ts';

export type Scores = NonNullable<EventData['ProposalRecorded']['scores']>;

export interface Scoring {
  readonly descriptor: Descriptor;
  /** The configuration in force. */
  readonly current: Configuration;
  readonly decision: Decision;
  readonly predictions: Predictions | null;
  /** What could be cited; null where no context was shown. */
  readonly evidenceIds: EvidenceIds | null;
  /** How often the policy succeeded on the probe pool, by family. */
  readonly behaviour: readonly Fact[];
  /** What the policy did on the part of the pool that nobody is shown; null where there is none. */
  readonly probeHoldout: EventData['EvaluationRecorded'] | null;
}

export function scoresOf(scoring: Scoring): Scores {
  const { descriptor, current, decision, predictions, evidenceIds, behaviour, probeHoldout } = scoring;
  return {
    citation: citationScore(decision.changes, evidenceIds),
    preservation: preservation(descriptor, current, decision.configuration, behaviour),
    // One value that had to be moved is enough: what was proposed is not what is tried.
    usable: decision.clamps.length === 0 ? 1 : 0,
    calibration: diagnosed(predictions, probeHoldout),
  };
}
