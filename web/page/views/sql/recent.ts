// Recent queries, which stay in this browser.
import { useState } from 'preact/hooks';

const key = 'icecore-sql-recent';
const most = 30;

export function useRecent(): { readonly recent: readonly string[]; add(sql: string): void; clear(): void } {
  const [recent, setRecent] = useState(stored);
  const store = (queries: readonly string[]): void => {
    setRecent(queries);
    try {
      localStorage.setItem(key, JSON.stringify(queries));
    } catch {
      // Without room in the browser, they last until the view is left.
    }
  };
  return {
    recent,
    add: (sql) => store([sql, ...stored().filter((one) => one !== sql)].slice(0, most)),
    clear: () => store([]),
  };
}

/** Another page of this origin may have written anything there. */
function stored(): readonly string[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
