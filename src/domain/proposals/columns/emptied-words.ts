/** Which words of a column stand for no value, so that a proposal empties their cells: not those that may mean something. */
import { isNoDate, isSheetError, standsForNothing } from '../../inspection/cells/words.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import type { Reading } from '../../profiles/model/undecided.js';
import type { NamedColumn } from '../match/candidates.js';

/** In texts, others have a meaning as well: `None` is a finish, `NA` is Namibia, `ND` is North Dakota. */
const UNMISTAKABLE = new Set(['n/a', '#n/a', '#nv', '-', '--', '---', '–', '—', 'k.a.', 'null', '(leer)', '(blank)']);

function isUnmistakable(word: string): boolean {
  return UNMISTAKABLE.has(word.toLowerCase()) || isSheetError(word) || isNoDate(word);
}

/** The words of a column that no number, day or address can be. */
export function wordsForNothing({ note }: NamedColumn): readonly string[] {
  return note?.nothing?.words ?? [];
}

/** The words of a column of options or categories that stand for no value. @param known what there is of them */
export function unmistakableWords(named: NamedColumn, known: readonly string[]): readonly string[] {
  const keys = new Set(known.map(attributeKey));
  return wordsForNothing(named).filter((word) => isUnmistakable(word) && !keys.has(attributeKey(word)));
}

/** Whether a value may be an option: a word for no value is one where many cells have it, and it may mean something. */
export function mayBeOption(named: NamedColumn, value: string): boolean {
  return !standsForNothing(value) || (!isUnmistakable(value) && wordsForNothing(named).includes(value));
}

/** The step that empties the cells with these words; null: there are none. */
export function emptyingStep(words: readonly string[]): Reading['step'] | null {
  if (words.length === 0) return null;
  return { step: 'replace', table: Object.fromEntries(words.map((word) => [word, ''])), otherwise: 'keep' };
}

/** What is said of the cells with these words; '' if there are none. */
export function emptiedText({ note }: NamedColumn, words: readonly string[]): string {
  const nothing = note?.nothing;
  if (nothing == null || words.length === 0) return '';
  const shown = words
    .slice(0, 3)
    .map((word) => quoted(word))
    .join(', ');
  const stays = 'an item that has a value keeps it';
  // How often each word occurs is not known.
  if (words.length < nothing.words.length)
    return ` Cells with ${shown} stand for no value and are read as empty: ${stays}.`;
  const { count, row } = nothing;
  return ` ${count === 1 ? '1 cell stands' : `${count} cells stand`} for no value (${shown}, first in row ${row}) and ${count === 1 ? 'is' : 'are'} read as empty: ${stays}.`;
}
