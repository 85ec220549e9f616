/** State of a page that outlives its being loaded again and a session that ends, in this window, for one account and stage. */
import { useCallback, useState } from 'react';
import { useOwner } from '../session/session-context.js';

/** @returns the value, what changes it, and what forgets it without changing what is shown */
export function useKept<T>(name: string, first: T): [T, (value: T) => void, () => void] {
  const key = `longshore.kept.${useOwner()}.${name}`;
  const [state, setState] = useState(() => ({ key, value: read(key, first) }));
  const present = state.key === key ? state : { key, value: read(key, first) };
  const set = useCallback(
    (value: T) => {
      write(key, value);
      setState({ key, value });
    },
    [key],
  );
  const forget = useCallback(() => sessionStorage.removeItem(key), [key]);
  return [present.value, set, forget];
}

function read<T>(key: string, first: T): T {
  const kept = sessionStorage.getItem(key);
  return kept === null ? first : (JSON.parse(kept) as T);
}

function write(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser has no room for so much: it is still on the page.
  }
}
