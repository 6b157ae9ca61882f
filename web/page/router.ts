// The address of a view: everything that a view shows is in the fragment of the URL, so that a link restores it, also from a file.
import { useEffect, useState } from 'preact/hooks';

export const viewNames = [
  'runs',
  'run',
  'why',
  'rollouts',
  'rollout',
  'context',
  'compare',
  'ablations',
  'ablation',
  'sql',
  'live',
  'adopt',
] as const;
export type ViewName = (typeof viewNames)[number];

export interface Route {
  /** Null: there is no such view. */
  readonly view: ViewName | null;
  /** What the view is about, as it is typed in a command: `mine@3`, the id of an event, the name of an ablation; empty for lists. */
  readonly of: string;
  readonly query: URLSearchParams;
}

/** `#/why/mine@3?knob=8.hole`; an empty fragment is the list of runs. */
export function parseRoute(fragment: string): Route {
  const [path, query] = splitOnce(fragment.replace(/^#?\/?/, ''), '?');
  // A name may contain slashes, also several in a row.
  const [name, of] = splitOnce(path, '/');
  const view = name === '' ? 'runs' : viewNames.find((one) => one === name);
  return { view: view ?? null, of: decoded(of), query: new URLSearchParams(query) };
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** The address of a view. Absent values are left out. */
export function hrefOf(view: ViewName, of = '', query: Query = {}): string {
  const path = view === 'runs' && of === '' ? '#/' : `#/${view}${of === '' ? '' : `/${encoded(of)}`}`;
  const text = queryText(query);
  return text === '' ? path : `${path}?${text}`;
}

export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search.toString();
}

/** Changes the query of the present view without a new entry in the history. */
export function replaceQuery(route: Route, changed: Query): void {
  const all: Record<string, string | readonly string[] | null> = {};
  for (const name of route.query.keys()) all[name] = route.query.getAll(name);
  const href = hrefOf(route.view ?? 'runs', route.of, { ...all, ...changed });
  window.history.replaceState(null, '', href);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

export function go(href: string): void {
  window.location.hash = href.replace(/^#/, '');
}

export function useRoute(): Route {
  const [fragment, setFragment] = useState(window.location.hash);
  useEffect(() => {
    const follow = (): void => setFragment(window.location.hash);
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  return parseRoute(fragment);
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** A name may contain anything; only what would end the path is escaped, so that addresses stay readable. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%40', '@').replaceAll('%2F', '/');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
