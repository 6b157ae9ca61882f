// The state of a run in words.
import type { RunRow } from '../../../schemas/run-output.ts';
import { Plain } from '../parts.tsx';
import { hrefOf } from '../router.ts';

type Standing = Pick<RunRow, 'state' | 'holder' | 'waiting'>;

/** `of`: the run as it is typed in a command. */
export function StateWords({ of, run: { state, holder, waiting } }: { readonly of: string; readonly run: Standing }) {
  if (waiting !== null)
    return (
      <span class="standing waiting">
        {waiting.for === 'decision' ? (
          <>
            waits for <a href={hrefOf('adopt', of)}>a decision for stage {waiting.stage}</a>
          </>
        ) : (
          `waits for the training of stage ${waiting.stage}`
        )}
      </span>
    );
  return (
    <span class={`standing ${state}`}>
      {state}
      {state === 'running' && holder !== null && (
        <span class="quiet">
          {' '}
          on <Plain text={holder} limit={32} />
        </span>
      )}
    </span>
  );
}
