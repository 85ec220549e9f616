/** The window of items that a page shows. While another one loads its first rows, the former rows stay. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useApi } from '../../session/session-context.js';
import { ItemWindow, type WindowStart, type WindowState } from './item-window.js';

interface Shown {
  readonly window: ItemWindow;
  readonly state: WindowState;
  /** Changes when the rows are those of another window. */
  readonly key: string;
  /** The rows are still those of the former search. */
  readonly isFormer: boolean;
}

/** @param edition another one begins anew: items were created or deleted elsewhere on the page */
export function useItemWindow(start: WindowStart, edition = 0): Shown {
  const api = useApi();
  const key = JSON.stringify([start, edition]);
  const window = useMemo(() => new ItemWindow(api, (JSON.parse(key) as [WindowStart, number])[0]), [api, key]);
  useEffect(() => {
    void window.begin();
    return () => window.end();
  }, [window]);
  const state = useSyncExternalStore(window.subscribe, window.state);
  const former = useRef<{ readonly state: WindowState; readonly key: string }>(undefined);
  const isOver = state.loading === undefined || (state.up === null && state.down === null);
  // One that was stopped shows what it has found, be it nothing.
  const hasBegun = state.rows.length > 0 || isOver || state.error !== undefined;
  useEffect(() => {
    if (hasBegun) former.current = { state, key };
  }, [hasBegun, state, key]);
  if (hasBegun || former.current === undefined) return { window, state, key, isFormer: false };
  const { loading, reached } = state;
  const { rows, above } = former.current.state;
  return {
    ...{ window, key: former.current.key, isFormer: true },
    state: { ...state, rows, above, loading, reached },
  };
}
