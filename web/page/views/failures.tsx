// Failed rollouts that a decision rests on, drawn small.
import type { Report, StoryEntry } from '../../../schemas/report-output.ts';
import { Characters, Picture } from '../picture.tsx';
import { hrefOf } from '../router.ts';

const mostDrawn = 3;

export function Failures({ entry, report }: { readonly entry: StoryEntry; readonly report: Report }) {
  const pictures = new Map(report.pictures.map(({ rollout, svg }) => [rollout, svg]));
  const drawn = entry.exemplars.flatMap(({ rollout, drawing, ...one }) => {
    const svg = pictures.get(rollout.event) ?? null;
    return svg === null && drawing === null ? [] : [{ ...one, rollout: rollout.event, drawing, svg }];
  });
  if (drawn.length === 0) return null;
  return (
    <ul class="failures" aria-label={`Failures that the decision for stage ${entry.stage} cites`}>
      {drawn.slice(0, mostDrawn).map(({ evidenceId, rollout, svg, drawing, family, stage, class: failureClass }) => {
        const words = `${failureClass ?? 'failure'}${family === null ? '' : `, family ${family}`}${stage === null ? '' : `, stage ${stage}`}`;
        return (
          <li key={rollout}>
            <a href={hrefOf('rollout', rollout)}>
              {svg === null ? (
                <Characters drawing={drawing ?? ''} alt={`Drawing: ${words}`} />
              ) : (
                <Picture svg={svg} alt={`Drawing: ${words}`} />
              )}
              <span>
                {evidenceId} {words}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
