/** What somebody has said that columns of the file become: it goes before everything that the names and values say. */
import type { Column } from '../../inspection/model/column.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Candidate } from '../match/candidates.js';
import type { Target, Targets } from '../match/targets.js';
import type { Draft } from './draft.js';

/**
 * Column of the file → column of ours: of an attribute, another column of such files, or one that the catalog lacks, which
 * becomes a new attribute; null: it is not imported.
 */
export type ChosenColumns = Readonly<Record<string, string | null>>;

/** Columns of files of items besides those that are looked for by their names. */
const OTHERS = ['Alternate Categories', 'Channels'];

export class Choice {
  readonly #byColumn: ReadonlyMap<string, string | null>;
  readonly #taken: ReadonlySet<Target>;

  constructor(
    private readonly draft: Draft,
    private readonly targets: Targets,
    chosen: ChosenColumns,
  ) {
    this.#byColumn = new Map(Object.entries(chosen).map(([column, to]) => [attributeKey(column), to]));
    const taken = Object.values(chosen).flatMap((to) => (to === null ? [] : (targets.named(to)[0] ?? [])));
    this.#taken = new Set(taken);
  }

  /** @returns undefined: nothing was said of the column; null: it is left out; none: it becomes a new attribute */
  of(column: Column): readonly Candidate[] | null | undefined {
    const to = this.#byColumn.get(attributeKey(column.name));
    if (to === undefined || to === null) return to;
    const target = this.targets.named(to)[0] ?? this.#other(to);
    if (target === undefined) {
      this.draft.name(column, to);
      return [];
    }
    return [{ target, way: 'chosen', verdict: 'certain', reason: `You have chosen ${quoted(target.name)}.` }];
  }

  /** The candidates of a column of which nothing was said: each of our columns is filled once. */
  left(candidates: readonly Candidate[]): readonly Candidate[] {
    return candidates.filter(({ target }) => !this.#taken.has(target));
  }

  #other(to: string): Target | undefined {
    const isOfItems = this.draft.fileType === 'ITEM_IMPORT' || this.draft.fileType === 'BUNDLE_IMPORT';
    const name = isOfItems ? OTHERS.find((one) => attributeKey(one) === attributeKey(to)) : undefined;
    return name === undefined ? undefined : { name, as: 'attribute', definition: null, loose: '', letters: 0 };
  }
}
