/** What was corrected of the failed rows of a job and not sent yet. It outlives a page that is loaded again. */
import { useCallback, useState } from 'react';
import { useOwner } from '../../session/session-context.js';
import { cellKey, type Edits } from './error-table.js';

export interface Corrections {
  readonly edits: Edits;
  readonly leftOut: ReadonlySet<number>;
  readonly edit: (changes: readonly CellChange[]) => void;
  readonly leaveOut: (row: number, isLeftOut: boolean) => void;
  readonly forget: () => void;
}

interface CellChange {
  readonly row: number;
  readonly column: number;
  /** Undefined: as it was in the file. */
  readonly value: string | undefined;
}

interface Kept {
  readonly edits: readonly (readonly [string, string])[];
  readonly leftOut: readonly number[];
}

export function useCorrections(jobId: string): Corrections {
  const key = `longshore.corrections.${useOwner()}.${jobId}`;
  const [state, setState] = useState(() => kept(key));
  const change = useCallback(
    (next: (before: State) => State) =>
      setState((before) => {
        const after = next(before);
        keep(key, after);
        return after;
      }),
    [key],
  );
  const edit = useCallback(
    (changes: readonly CellChange[]) =>
      change(({ edits, leftOut }) => {
        const next = new Map(edits);
        for (const { row, column, value } of changes) {
          if (value === undefined) next.delete(cellKey(row, column));
          else next.set(cellKey(row, column), value);
        }
        return { edits: next, leftOut };
      }),
    [change],
  );
  const leaveOut = useCallback(
    (row: number, isLeftOut: boolean) =>
      change(({ edits, leftOut }) => {
        const next = new Set(leftOut);
        if (isLeftOut) next.add(row);
        else next.delete(row);
        return { edits, leftOut: next };
      }),
    [change],
  );
  const forget = useCallback(() => sessionStorage.removeItem(key), [key]);
  return { ...state, edit, leaveOut, forget };
}

interface State {
  readonly edits: Edits;
  readonly leftOut: ReadonlySet<number>;
}

function keep(key: string, { edits, leftOut }: State): void {
  try {
    sessionStorage.setItem(key, JSON.stringify({ edits: [...edits], leftOut: [...leftOut] } satisfies Kept));
  } catch {
    // The browser has no room for so many: they are still on the page.
  }
}

function kept(key: string): State {
  const text = sessionStorage.getItem(key);
  const { edits, leftOut }: Kept = text === null ? { edits: [], leftOut: [] } : JSON.parse(text);
  return { edits: new Map(edits), leftOut: new Set(leftOut) };
}
