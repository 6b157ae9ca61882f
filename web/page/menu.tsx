// One menu for all figures of the page: the rollouts behind a figure, and the command and the query that give it again.
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Where a figure comes from. */
export interface Source {
  /** The address of the view with its rollouts. */
  readonly rollouts?: string | undefined;
  readonly command?: string | undefined;
  readonly sql?: string | undefined;
}

interface Opened {
  readonly source: Source;
  readonly button: HTMLElement;
}

let open: (opened: Opened | null) => void = () => {};

/** A figure that says where it comes from when it is clicked. */
export function Figure({
  source,
  children,
  label,
}: {
  readonly source: Source;
  readonly children: ComponentChildren;
  readonly label?: string;
}) {
  return (
    <button
      type="button"
      class="figure"
      aria-haspopup="menu"
      {...(label === undefined ? {} : { 'aria-label': label })}
      onClick={(event) => open({ source, button: event.currentTarget })}
    >
      {children}
    </button>
  );
}

export function Menu() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [note, setNote] = useState('');
  const menu = useRef<HTMLDivElement>(null);
  open = setOpened;
  const close = (): void => {
    opened?.button.focus();
    setOpened(null);
  };
  useLayoutEffect(() => {
    const { current } = menu;
    if (opened === null || current === null) return;
    const at = opened.button.getBoundingClientRect();
    const { width, height } = current.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, window.innerWidth - width - 8));
    const top = at.bottom + height + 8 > window.innerHeight ? at.top - height - 4 : at.bottom + 4;
    current.style.left = `${left + window.scrollX}px`;
    current.style.top = `${top + window.scrollY}px`;
    current.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [opened]);
  useEffect(() => {
    if (opened === null) return;
    const outside = (event: Event): void => {
      if (!menu.current?.contains(event.target as Node)) setOpened(null);
    };
    document.addEventListener('pointerdown', outside);
    window.addEventListener('hashchange', close);
    return () => {
      document.removeEventListener('pointerdown', outside);
      window.removeEventListener('hashchange', close);
    };
  }, [opened]);
  const copy = async (what: string, text: string): Promise<void> => {
    close();
    setNote((await copied(text)) ? `Copied the ${what}.` : `The browser refused to copy. The ${what}: ${text}`);
  };
  return (
    <>
      <p class="toast" role="status" key={note} hidden={note === ''}>
        {note}
      </p>
      {opened !== null && (
        <div
          class="menu"
          role="menu"
          aria-label="About this figure"
          ref={menu}
          onKeyDown={(event) => onKey(event, close)}
        >
          {opened.source.rollouts !== undefined && (
            <a role="menuitem" href={opened.source.rollouts}>
              See its rollouts
            </a>
          )}
          {opened.source.command !== undefined && (
            <button type="button" role="menuitem" onClick={() => void copy('command', opened.source.command ?? '')}>
              Copy command <code>{opened.source.command}</code>
            </button>
          )}
          {opened.source.sql !== undefined && (
            <button type="button" role="menuitem" onClick={() => void copy('SQL', opened.source.sql ?? '')}>
              Copy SQL <code>{opened.source.sql}</code>
            </button>
          )}
        </div>
      )}
    </>
  );
}

function onKey(event: TargetedKeyboardEvent<HTMLElement>, close: () => void): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (event.key === 'Escape' || event.key === 'Tab') {
    event.preventDefault();
    close();
  } else if (step !== 0) {
    event.preventDefault();
    items.at((at + step) % items.length)?.focus();
  }
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A line to copy, such as a command. */
export function CopyLine({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span class="copy-line">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** Copies a text that is shown elsewhere. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'' | 'copied' | 'refused'>('');
  return (
    <>
      <button type="button" onClick={() => void copied(text).then((isDone) => setState(isDone ? 'copied' : 'refused'))}>
        {state === 'copied' ? 'Copied' : `Copy ${what}`}
      </button>
      {state === 'refused' && <span role="status">The browser refused to copy: select the text.</span>}
    </>
  );
}
