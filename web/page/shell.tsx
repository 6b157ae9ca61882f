// What surrounds every view: navigation, the theme, the state of the connection, and the view itself, loaded when it is opened.
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, hasToken, isServed, setToken, useAnswer } from './api.ts';
import { useConnection } from './connection.ts';
import { Menu } from './menu.tsx';
import { Failed, Loading, sentence } from './parts.tsx';
import { hrefOf, type Route, useRoute, type ViewName } from './router.ts';

export interface ViewProps {
  readonly route: Route;
}

type View = ComponentType<ViewProps>;

/** How each view is loaded. A page without a server has only some of them. */
export type Views = Readonly<Partial<Record<ViewName, () => Promise<View>>>>;

const links: readonly (readonly [view: ViewName, name: string])[] = [
  ['runs', 'Runs'],
  ['ablations', 'Ablations'],
  ['sql', 'SQL'],
  ['live', 'Live'],
];

/** Views that belong to an entry of the navigation. */
const sectionOf: Partial<Record<ViewName, ViewName>> = {
  ablation: 'ablations',
  sql: 'sql',
  live: 'live',
  ablations: 'ablations',
};

export function Shell({ views }: { readonly views: Views }) {
  const route = useRoute();
  const [tokens, setTokens] = useState(0);
  const health = useAnswer<{ name: string; version: string; ledger: string }>(isServed ? '/' : null, tokens);
  const section = route.view === null ? null : (sectionOf[route.view] ?? 'runs');
  const { isAway, refusal } = useConnection();
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={hrefOf('runs')}>
          icecore
        </a>
        <nav aria-label="Main">
          {(isServed ? links : []).map(([view, name]) => (
            <a key={view} href={hrefOf(view)} aria-current={section === view ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="grow" />
        <Away isAway={isAway} />
        <Theme />
      </header>
      <main id="main" tabIndex={-1}>
        {refusal !== null ? (
          <TokenForm
            refusal={hasToken() ? refusal : null}
            onToken={(token) => {
              setToken(token);
              setTokens((before) => before + 1);
            }}
          />
        ) : (
          <ViewOf key={tokens} route={route} views={views} />
        )}
      </main>
      {health.state === 'ready' && (
        <footer class="bottom">
          icecore {health.value.version}, ledger <code>{health.value.ledger}</code>
        </footer>
      )}
      <Menu />
    </>
  );
}

function ViewOf({ route, views }: ViewProps & { readonly views: Views }) {
  const [loaded, setLoaded] = useState<{ view: ViewName; component: View } | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const { view, of } = route;
  useEffect(() => {
    const load = view === null ? undefined : views[view];
    if (view === null || load === undefined) return;
    let isLeft = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const open = async (): Promise<void> => {
      try {
        const component = await load();
        if (isLeft) return;
        setFault(null);
        setLoaded({ view, component });
      } catch {
        if (isLeft) return;
        setFault(notLoaded);
        retry = setTimeout(() => void open(), 2_000);
      }
    };
    setFault(null);
    void open();
    return () => {
      isLeft = true;
      clearTimeout(retry);
    };
  }, [view]);
  useAnnouncedView(view, of);
  if (view === null)
    return (
      <Failed
        fault={
          new ApiError(404, {
            kind: 'not-found',
            message: 'there is no such view',
            remedy: 'Start from the list of runs.',
          })
        }
      />
    );
  if (views[view] === undefined)
    return (
      <Failed
        fault={
          new ApiError(404, {
            kind: 'not-found',
            message: 'this view needs a server',
            remedy: 'Open the ledger with icecore serve.',
          })
        }
      />
    );
  if (fault !== null) return <Failed fault={fault} />;
  if (loaded === null || loaded.view !== view) return <Loading what="the view" />;
  const { component: Component } = loaded;
  return <Component key={of} route={route} />;
}

const notLoaded = new ApiError(0, {
  kind: 'unavailable',
  message: 'this part of the page cannot be loaded: the server does not answer, or has another version now',
  remedy: 'Start icecore serve again; if it runs, reload the page.',
});

/** After a navigation the title tells a screen reader where it is, and the keyboard continues in the content. */
function useAnnouncedView(view: ViewName | null, of: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = [of, view === null || view === 'runs' ? 'runs' : view, 'icecore']
      .filter((part) => part !== '')
      .join(' · ');
    if (!isFirst.current) {
      document.getElementById('main')?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [view, of]);
}

/** Not every view asks by itself again, so this does until the server answers. */
function Away({ isAway }: { readonly isAway: boolean }) {
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => void get('/healthz').catch(() => {}), 2_000);
    return () => clearInterval(timer);
  }, [isAway]);
  return (
    <span class="connection" role="status">
      {isAway ? 'The server does not answer: what is shown may be old. Trying again.' : ''}
    </span>
  );
}

const themes = ['auto', 'light', 'dark'] as const;

function Theme() {
  const [theme, setTheme] = useState(localStorage.getItem('icecore-theme') ?? 'auto');
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
    localStorage.setItem('icecore-theme', theme);
  }, [theme]);
  return (
    <label class="theme">
      <span class="hidden">Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
        {themes.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TokenFormProps {
  /** Why the token that was given is not accepted; null: none was given. */
  readonly refusal: string | null;
  readonly onToken: (token: string) => void;
}

function TokenForm({ refusal, onToken }: TokenFormProps) {
  const [token, setValue] = useState('');
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(token.trim());
      }}
    >
      <h1>This server needs a token</h1>
      {refusal !== null && (
        <p class="warning" role="alert">
          {sentence(refusal)}
        </p>
      )}
      <p>Whoever started the server has a file of tokens. The token stays in this tab until you close it.</p>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        Continue
      </button>
    </form>
  );
}
