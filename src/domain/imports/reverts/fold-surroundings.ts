/** Folds what jobs have changed of each import profile, of settings and of each webhook definition into one row of a revert. */
import { isSameSurrounding, type SurroundingKind } from '../../changes/model/surrounding-image.js';
import type { SurroundingChange } from '../../changes/surrounding-changes.js';
import { storable } from '../../kernel/characters.js';
import type { DefinitionRow } from './definition-row.js';

const MOST_CHARACTERS = 200;

/** In an order in which they can be written: profiles are there before settings name them, and go after these. */
export function foldSurroundings(changes: readonly SurroundingChange[]): DefinitionRow[] {
  const all = new Map<string, DefinitionRow>();
  for (const { id, kind, key, at, before, after } of changes) {
    const known = all.get(`${kind} ${key}`);
    const deletedBy = after === null && before !== null ? { deletedBy: id } : {};
    if (known === undefined) {
      const sku = labelOf(kind, key, after ?? before ?? {});
      all.set(`${kind} ${key}`, { kind, key, sku, before, after, broken: false, at: at.toISOString(), ...deletedBy });
      continue;
    }
    const broken = known.broken || !isSameSurrounding(kind, known.after, before);
    all.set(`${kind} ${key}`, { ...known, after, broken, ...deletedBy });
  }
  return [...all.values()].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ kind, before }: DefinitionRow): number {
  if (kind === 'settings') return 1;
  return before === null ? 2 : 0;
}

/** What readers of the catalog see: they must not see addresses of partners, which need another scope. */
function labelOf(kind: SurroundingKind, key: string, { name }: Readonly<Record<string, unknown>>): string {
  if (kind === 'settings') return 'settings';
  return storable(kind === 'profile' ? `import profile ${name}` : `webhook definition ${key}`, MOST_CHARACTERS);
}
