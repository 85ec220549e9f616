/** The columns that somebody has chosen last: of this stage, in this browser. */
import { usePresent } from '../../session/session-context.js';

export function useChosenColumns(): {
  readonly kept: readonly string[] | undefined;
  keep(ids: readonly string[]): void;
} {
  const { session, stage } = usePresent();
  const key = `longshore.columns.${session.accountId}.${stage.name}`;
  return { kept: read(key), keep: (ids) => localStorage.setItem(key, JSON.stringify(ids)) };
}

function read(key: string): readonly string[] | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(kept) && kept.length > 0 ? kept.map(String) : undefined;
  } catch {
    return undefined;
  }
}
