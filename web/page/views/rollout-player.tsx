// Plays a rollout step by step, with a best answer to the same task beside it. Nothing moves before somebody asks for it.
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RolloutDrawing, RolloutShown } from '../../../schemas/rollout-output.ts';
import { Plain } from '../parts.tsx';
import { Characters, Picture } from '../picture.tsx';
import { type Route, replaceQuery } from '../router.ts';

interface PlayerProps {
  readonly rollout: RolloutShown;
  readonly route: Route;
}

export function Player({ rollout, route }: PlayerProps) {
  const { drawing, plan, note, legend } = rollout.pictures;
  const frames = drawing?.frames ?? [];
  if (frames.length > 1) return <Steps rollout={rollout} route={route} />;
  if (drawing === null && plan === null) return note === null ? null : <p class="quiet">This rollout is {note}.</p>;
  return (
    <section class="player" aria-label="Drawings">
      <div class="stages">
        <Still title="The rollout" drawing={drawing} />
        <Still title="A best answer" drawing={plan} />
      </div>
      <Remarks note={note} legend={legend} />
    </section>
  );
}

function Still({ title, drawing }: { readonly title: string; readonly drawing: RolloutDrawing | null }) {
  if (drawing === null) return null;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {drawing.svg === null ? (
        <Characters drawing={drawing.text} alt={title} />
      ) : (
        <Picture svg={drawing.svg} alt={title} />
      )}
    </figure>
  );
}

function Remarks({ note, legend }: { readonly note: string | null; readonly legend: string | null }) {
  return (
    <>
      {note !== null && <p class="quiet">Note: {note}.</p>}
      {legend !== null && (
        <details>
          <summary>How to read the drawings in characters</summary>
          <p>
            <Plain text={legend} />
          </p>
        </details>
      )}
    </>
  );
}

const speeds = [0.5, 1, 2, 4] as const;
const stepMs = 700;

/** The step in the address: everything else about playing is forgotten. */
function useSteps(route: Route, first: number, last: number) {
  const given = route.query.get('step');
  const inAddress = given === null ? first : Math.max(0, Math.min(last, Number.parseInt(given, 10) || 0));
  const [step, setStep] = useState(inAddress);
  const [isPlaying, setPlaying] = useState(false);
  const written = useRef(given);
  useEffect(() => {
    // Somebody else changed the address: a link, or going back.
    if (given === written.current) return;
    written.current = given;
    setPlaying(false);
    setStep(inAddress);
  }, [given]);
  useEffect(() => {
    // Browsers limit how often an address may change.
    if (isPlaying || String(step) === (written.current ?? String(first))) return;
    const due = setTimeout(() => {
      written.current = String(step);
      replaceQuery(route, { step });
    }, 200);
    return () => clearTimeout(due);
  }, [step, isPlaying]);
  return { step, setStep, isPlaying, setPlaying };
}

function Steps({ rollout, route }: PlayerProps) {
  const { drawing, plan, note, legend } = rollout.pictures;
  const frames = drawing?.frames ?? [];
  const best = plan?.frames ?? [];
  const last = Math.max(frames.length, best.length) - 1;
  const failed = rollout.failures[0]?.step ?? null;
  const { step, setStep, isPlaying, setPlaying } = useSteps(route, Math.min(failed ?? frames.length - 1, last), last);
  const [speed, setSpeed] = useState<number>(1);
  useEffect(() => {
    if (!isPlaying) return;
    if (step >= last) return setPlaying(false);
    const due = setTimeout(() => setStep(step + 1), stepMs / speed);
    return () => clearTimeout(due);
  }, [isPlaying, step, speed]);
  const go = (to: number): void => {
    setPlaying(false);
    setStep(Math.max(0, Math.min(last, to)));
  };
  const play = (): void => {
    if (!isPlaying && step >= last) setStep(0);
    setPlaying(!isPlaying);
  };
  useKeys((key) => stepFor(key, step, last), go);
  const says = frames[Math.min(step, frames.length - 1)]?.says ?? '';
  return (
    <section class="player" aria-label="Step by step" onKeyDown={(event) => onPlayerKey(event, step, last, go)}>
      <div class="stages">
        <Stage title="The rollout" drawing={drawing} step={step} isFailed={failed !== null && step >= failed} />
        <Stage title="A best answer" drawing={plan} step={step} isFailed={false} />
      </div>
      <div class="transport">
        <button type="button" onClick={() => go(step - 1)} disabled={step === 0} aria-label="Step back">
          ◀
        </button>
        <button type="button" class="primary" onClick={play}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" onClick={() => go(step + 1)} disabled={step === last} aria-label="Step forward">
          ▶
        </button>
        <Scrubber step={step} last={last} failed={failed} says={says} onStep={go} />
        <output class="number">
          {step} of {last}
        </output>
        <label class="speed">
          <span class="hidden">Speed</span>
          <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
            {speeds.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
        </label>
        {failed !== null && (
          <button type="button" onClick={() => go(failed)} disabled={step === failed}>
            Failure in step {failed}
          </button>
        )}
      </div>
      <Remarks note={note} legend={legend} />
    </section>
  );
}

interface ScrubberProps {
  readonly step: number;
  readonly last: number;
  readonly failed: number | null;
  readonly says: string;
  readonly onStep: (step: number) => void;
}

function Scrubber({ step, last, failed, says, onStep }: ScrubberProps) {
  return (
    <span class="scrubber">
      <input
        type="range"
        aria-label="Step"
        aria-valuetext={says === '' ? `step ${step}` : says}
        min={0}
        max={last}
        step={1}
        value={step}
        onInput={(event) => onStep(Number(event.currentTarget.value))}
      />
      {failed !== null && failed <= last && (
        <span class="mark bad" aria-hidden="true" style={{ left: `${(100 * failed) / Math.max(1, last)}%` }}>
          ✗
        </span>
      )}
    </span>
  );
}

interface StageProps {
  readonly title: string;
  readonly drawing: RolloutDrawing | null;
  readonly step: number;
  readonly isFailed: boolean;
}

function Stage({ title, drawing, step, isFailed }: StageProps) {
  if (drawing === null) return null;
  const frames = drawing.frames ?? [];
  const end = frames.length - 1;
  const frame = frames[Math.min(step, end)];
  if (frame === undefined) return <Still title={title} drawing={drawing} />;
  return (
    <figure class={isFailed ? 'failed-step' : undefined}>
      <figcaption>
        {title}
        {step > end && <span class="quiet">, ended in step {end}</span>}
      </figcaption>
      <Picture svg={frame.svg} alt={`${title}, ${frame.says}`} />
      <p class={isFailed ? 'says bad' : 'says'}>
        {isFailed && <span aria-hidden="true">✗ </span>}
        <Plain text={frame.says} />
      </p>
    </figure>
  );
}

function stepFor(key: string, step: number, last: number): number | null {
  return { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: last }[key] ?? null;
}

/** Inside the player, from its buttons. A range input and a choice have keys of their own. */
function onPlayerKey(
  event: TargetedKeyboardEvent<HTMLElement>,
  step: number,
  last: number,
  go: (step: number) => void,
): void {
  const to = event.target instanceof HTMLButtonElement ? stepFor(event.key, step, last) : null;
  if (to === null) return;
  event.preventDefault();
  go(to);
}

/** The same keys while nothing else has the focus; the page itself keeps Home and End. */
function useKeys(toOf: (key: string) => number | null, go: (step: number) => void): void {
  const latest = useRef({ toOf, go });
  latest.current = { toOf, go };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isFree = event.target === document.body || (event.target as HTMLElement).id === 'main';
      const isArrow = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
      if (!isFree || !isArrow || event.altKey || event.ctrlKey || event.metaKey) return;
      const to = latest.current.toOf(event.key);
      if (to === null) return;
      event.preventDefault();
      latest.current.go(to);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
