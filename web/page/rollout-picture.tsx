// A small drawing of a rollout, asked for when it comes into view.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RolloutShown } from '../../schemas/rollout-output.ts';
import { isServed, useAnswer } from './api.ts';
import { Characters, Picture } from './picture.tsx';
import './rollout-picture.css';

interface RolloutPictureProps {
  readonly event: string;
  readonly alt: string;
  /** A drawing in characters, shown where there is no other. */
  readonly drawing?: string | null;
}

export function RolloutPicture({ event, alt, drawing = null }: RolloutPictureProps) {
  const [place, isSeen] = useSeen();
  const answer = useAnswer<RolloutShown>(isSeen ? picturePath(event) : null);
  const drawn = answer.state === 'ready' ? answer.value.pictures.drawing : null;
  const text = drawn?.text ?? drawing;
  return (
    <div class={answer.state === 'loading' ? 'rollout-picture waiting' : 'rollout-picture'} ref={place}>
      {drawn?.svg != null ? (
        <Picture svg={drawn.svg} alt={alt} />
      ) : text !== null && answer.state !== 'loading' ? (
        <Characters drawing={text} alt={alt} />
      ) : (
        <span class="quiet">{answer.state === 'loading' ? 'Drawing …' : 'No drawing'}</span>
      )}
    </div>
  );
}

export function rolloutPath(event: string): string {
  return `/rollouts/${encodeURIComponent(event)}`;
}

/** Only the drawing as a whole: the pictures of its steps are twenty times as large. A page without a server has whole answers. */
function picturePath(event: string): string {
  return isServed ? `${rolloutPath(event)}?frames=none&plan=false` : rolloutPath(event);
}

/** Whether an element is, or was, in view or close to it. */
function useSeen(): readonly [{ current: HTMLDivElement | null }, boolean] {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current } = place;
    if (current === null || isSeen) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '300px' },
    );
    watch.observe(current);
    return () => watch.disconnect();
  }, [isSeen]);
  return [place, isSeen];
}
