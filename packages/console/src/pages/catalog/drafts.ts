/** What was typed into fields of items and is not written yet: it outlives a page that is loaded again, and a session that ends. */
import { useCallback, useSyncExternalStore } from 'react';
import { useOwner } from '../../session/session-context.js';

export interface Draft {
  /** The value that was shown when it was changed. */
  readonly before: unknown;
  /** null: none. Undefined: what was typed is no such value. */
  readonly value?: unknown;
  /** As it was typed. */
  readonly text: string;
}

/** SKU → name of the attribute → draft. */
export type Drafts = Readonly<Record<string, Readonly<Record<string, Draft>>>>;

const NONE: Drafts = {};
const known = new Map<string, Drafts>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(key: string): Drafts {
  const present = known.get(key);
  if (present !== undefined) return present;
  const kept = sessionStorage.getItem(key);
  const drafts = kept === null ? NONE : (JSON.parse(kept) as Drafts);
  known.set(key, drafts);
  return drafts;
}

function write(key: string, drafts: Drafts): void {
  known.set(key, drafts);
  try {
    sessionStorage.setItem(key, JSON.stringify(drafts));
  } catch {
    // The browser has no room for so many: they are still on the page.
  }
  for (const listener of listeners) listener();
}

export interface DraftStore {
  readonly drafts: Drafts;
  /** @param draft undefined: as it was */
  readonly set: (sku: string, name: string, draft: Draft | undefined) => void;
  /** Forgets all of some items. */
  readonly forget: (skus: readonly string[]) => void;
}

export function useDrafts(): DraftStore {
  const key = `longshore.drafts.${useOwner()}`;
  const drafts = useSyncExternalStore(subscribe, () => read(key));
  const set = useCallback(
    (sku: string, name: string, draft: Draft | undefined) => {
      const all = read(key);
      const { [name]: _, ...others } = all[sku] ?? {};
      const item = draft === undefined ? others : { ...others, [name]: draft };
      const { [sku]: __, ...rest } = all;
      write(key, Object.keys(item).length === 0 ? rest : { ...all, [sku]: item });
    },
    [key],
  );
  const forget = useCallback(
    (skus: readonly string[]) => {
      const gone = new Set(skus);
      write(key, Object.fromEntries(Object.entries(read(key)).filter(([sku]) => !gone.has(sku))));
    },
    [key],
  );
  return { drafts, set, forget };
}

/** How much was changed. */
export function sizeOf(drafts: Drafts): { readonly items: number; readonly values: number; readonly wrong: number } {
  const items = Object.values(drafts);
  const all = items.flatMap((item) => Object.values(item));
  return { items: items.length, values: all.length, wrong: all.filter(({ value }) => value === undefined).length };
}

/** Whether two values of the API are the same: numbers are shown as texts by some attributes. */
export function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown) => (value === undefined || value === null ? null : value);
  const [a, b] = [plain(one), plain(other)];
  if (a === null || b === null) return a === b;
  return typeof a === 'object' ? JSON.stringify(a) === JSON.stringify(b) : String(a) === String(b);
}
